import { quote } from "../../base/text/quote.ts";

/** Returns the name of a time zone of the IANA database. Throws for an unknown name. */
export function checkZoneName(name: string): string {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return name;
  } catch {
    const why = "it is not a time zone; use a name such as Europe/Paris or UTC";
    throw new Error(`Cannot use the time_zone ${quote(name)}: ${why}`);
  }
}
