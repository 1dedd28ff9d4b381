/** Arguments under a rare key are accepted or refused, and never dropped. */
// tier: machine
import { otherRows, testKey } from "./arguments_keys.ts";

for (const row of otherRows) testKey(row);
