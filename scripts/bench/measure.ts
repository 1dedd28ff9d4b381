/** Measures the subjects of a section in turn, so that all of them meet the same machine. */
import {
  type Figures,
  Missing,
  type Result,
  resultOf,
  type Section,
  type Subject,
  type Unit,
} from "./rows.ts";

/** Options for measuring a section. */
export interface MeasureOptions {
  /** The names of the rows, or every row. */
  rows?: ReadonlySet<string>;
  /** The runs of each cold command. A section's rounds are in proportion. */
  runs: number;
  /** Called with a line about each step, for a user who waits. */
  report?: (line: string) => void;
}

/** The rounds of a section: at least two, because one round has no spread. */
export function roundsOf({ rounds }: Section, runs: number): number {
  return Math.max(2, Math.round(rounds * runs / 60));
}

/** A section's results, and the figures of each of its subjects. */
export interface Measured {
  results: Result[];
  figures: Figures;
}

/** Measures the rows of a section that `options` names. */
export async function measureSection(section: Section, options: MeasureOptions): Promise<Measured> {
  const rows = section.rows.filter(({ name }) => options.rows?.has(name) ?? true);
  if (rows.length === 0) return { results: [], figures: new Map() };
  const names = new Set(rows.flatMap(({ of, to, minus }) => minus ? [to, minus, of] : [to, of]));
  const rounds = roundsOf(section, options.runs);
  options.report?.(`${rounds} rounds of ${[...names].join("; ")}`);
  const start = performance.now();
  const turns = new Turns(options.report);
  try {
    for (const name of names) await turns.start(name, section.subjects[name]!);
    for (let round = -(section.unmeasured ?? 1); round < rounds; round++) {
      await turns.measureRound(round);
    }
  } finally {
    await turns.close();
  }
  options.report?.(`  ${((performance.now() - start) / 1_000).toFixed(0)} s`);
  return { results: rows.map((row) => resultOf(row, turns.figures)), figures: turns.figures };
}

/** Measures subjects in turn. A subject that fails gets a reason, and the others continue. */
class Turns {
  readonly figures = new Map<string, { unit: Unit; values: number[] } | Missing>();
  readonly #subjects = new Map<string, Subject>();
  readonly #report: MeasureOptions["report"];

  constructor(report: MeasureOptions["report"]) {
    this.#report = report;
  }

  async start(name: string, make: Section["subjects"][string]): Promise<void> {
    try {
      const subject = await make();
      this.#subjects.set(name, subject);
      this.figures.set(name, { unit: subject.unit, values: [] });
    } catch (error) {
      await this.#giveUp(name, error);
    }
  }

  /** Measures each subject once. Rounds before round 0 do not count. */
  async measureRound(round: number): Promise<void> {
    const subjects = [...this.#subjects];
    const first = Math.max(0, round) % Math.max(1, subjects.length);
    for (const [name, subject] of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      try {
        const figure = await subject.measure();
        const figures = this.figures.get(name)!;
        if (round >= 0 && !(figures instanceof Missing)) figures.values.push(figure);
      } catch (error) {
        await this.#giveUp(name, error);
      }
    }
  }

  async close(): Promise<void> {
    for (const subject of this.#subjects.values()) await subject.close?.();
    this.#subjects.clear();
  }

  async #giveUp(name: string, error: unknown): Promise<void> {
    const reason = withoutPlaces(error instanceof Error ? error.message : String(error));
    const missing = new Missing(error instanceof Missing ? reason : `It failed: ${reason}`);
    this.figures.set(name, missing);
    this.#report?.(`  ${name}: ${missing.message}`);
    await this.#subjects.get(name)?.close?.();
    this.#subjects.delete(name);
  }
}

/** Shortens each path in a reason to the name of its file, because the table shows the reason. */
function withoutPlaces(reason: string): string {
  return reason.replaceAll(/(?<![\w@])(?:\/[^\s/:"']+)+\/(?=[^\s/:"'])/g, "");
}
