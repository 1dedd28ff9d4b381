/** A collector of OpenTelemetry on this machine: a real server that decodes OTLP in JSON. */
import { type CountingServer, countingServer } from "./counting_server.ts";

/** The values of attributes by name. */
type Attributes = Record<string, string>;

/** The fields of a span that the tests read. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** Nanoseconds since 1970. */
  begin: bigint;
  end: bigint;
  attributes: Attributes;
  /** 2 for a failure. */
  status: number;
  service: string;
}

/** A point of a metric: the value of a counter, or the count of a histogram. */
export interface CollectedPoint {
  metric: string;
  attributes: Attributes;
  value: number;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface Body {
  resourceSpans?: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
  resourceMetrics?: { scopeMetrics: { metrics: Metric[] }[] }[];
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number };
}

interface Metric {
  name: string;
  sum?: { dataPoints: { attributes: Attribute[]; asDouble: number }[] };
  histogram?: { dataPoints: { attributes: Attribute[]; count: string }[] };
}

/** A running collector. */
export class OtlpCollector implements AsyncDisposable {
  #server: CountingServer;

  /** Starts a collector. If `answers` is false, no request gets an answer. */
  constructor({ answers = true } = {}) {
    const json = { headers: { "content-type": "application/json" } };
    this.#server = countingServer(() =>
      answers ? new Response("{}", json) : new Promise<Response>(() => {})
    );
  }

  /** The secret that the exporter sends with each request. */
  readonly secret = `secret-${crypto.randomUUID()}`;

  /** The variables that make a program export to it. */
  get variables(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${this.#server.host}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${this.secret}`,
    };
  }

  /** The requests so far. */
  get requests(): CountingServer["requests"] {
    return this.#server.requests;
  }

  /** The spans so far, in the order in which they began. */
  spans(): CollectedSpan[] {
    const spans = this.#bodies().flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) => {
        const service = valuesOf(resource.attributes)["service.name"]!;
        return scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(span, service)));
      })
    );
    return spans.sort((a, b) => Number(a.begin - b.begin));
  }

  /** The spans of calls so far, without the spans of their phases. */
  calls(): CollectedSpan[] {
    return this.spans().filter(({ name }) => name.startsWith("execute_tool "));
  }

  /** The phases of a call, in the order in which they began. */
  phasesOf({ spanId }: CollectedSpan): CollectedSpan[] {
    return this.spans().filter(({ parentSpanId }) => parentSpanId === spanId);
  }

  /** The points so far. */
  points(): CollectedPoint[] {
    return this.#bodies().flatMap(({ resourceMetrics = [] }) =>
      resourceMetrics.flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap(({ metrics }) => metrics.flatMap(pointsOf))
      )
    );
  }

  #bodies(): Body[] {
    return this.requests.map(({ body }) => JSON.parse(body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

function collected(span: Span, service: string): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, attributes, status } = span;
  return {
    ...{ traceId, spanId, parentSpanId, name, service, status: status.code },
    begin: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
    attributes: valuesOf(attributes),
  };
}

function pointsOf({ name, sum, histogram }: Metric): CollectedPoint[] {
  return [
    ...(sum?.dataPoints ?? []).map(({ attributes, asDouble }) => ({ attributes, value: asDouble })),
    ...(histogram?.dataPoints ?? []).map(({ attributes, count }) => ({
      attributes,
      value: Number(count),
    })),
  ].map(({ attributes, value }) => ({ metric: name, attributes: valuesOf(attributes), value }));
}

function valuesOf(attributes: readonly Attribute[]): Attributes {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]),
  );
}
