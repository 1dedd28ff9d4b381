import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import { type DocumentPart, follow, listOf } from "./document.ts";

/** A credential of a request. */
export interface ApiCredential {
  /** Its place in the request. */
  place: "header" | "query" | "cookie";
  /** The name of the field. */
  name: string;
  /** The secret value. */
  value: string;
}

/** A security scheme that an operation needs, and how its credential is sent. */
export interface ApiScheme extends Omit<ApiCredential, "value"> {
  /** The name of the scheme. */
  scheme: string;
  /** Text before the credential. */
  prefix: string;
  /** Whether the credential is `USER:PASSWORD`, which is sent in base64. */
  isBasic: boolean;
}

/** The security schemes of a document by name, without those that cannot be used. */
export function schemesOf(document: DocumentPart): Map<string, ApiScheme> {
  const { components } = document;
  const given = isObject(components) ? components["securitySchemes"] : undefined;
  return new Map(
    Object.entries(isObject(given) ? given : {}).flatMap(([scheme, value]) => {
      const found = schemeOf(scheme, follow(value, document));
      return found === undefined ? [] : [[scheme, found] as const];
    }),
  );
}

function schemeOf(scheme: string, value: DocumentPart): ApiScheme | undefined {
  const { type, name, in: place, scheme: kind } = value;
  const header = { scheme, place: "header", name: "authorization", isBasic: false } as const;
  if (type === "apiKey" && typeof name === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    if (place !== "header" && place !== "query" && place !== "cookie") return undefined;
    return { scheme, place, name, prefix: "", isBasic: false };
  }
  if (type === "http" && String(kind).toLowerCase() === "basic") {
    return { ...header, prefix: "Basic ", isBasic: true };
  }
  if (type === "http") {
    return String(kind).toLowerCase() === "bearer" ? { ...header, prefix: "Bearer " } : undefined;
  }
  return type === "oauth2" || type === "openIdConnect"
    ? { ...header, prefix: "Bearer " }
    : undefined;
}

/**
 * The schemes of an operation for which the configuration names a variable: those of the first
 * alternative that has a variable for each scheme. Returns none if the operation needs none.
 */
export function chosenSchemes(
  operation: DocumentPart,
  document: DocumentPart,
  credentials: Readonly<Record<string, string>>,
): ApiScheme[] {
  const schemes = schemesOf(document);
  const alternatives = listOf(operation["security"] ?? document["security"])
    .map((each) => Object.keys(isObject(each) ? each : {}));
  const isKnown = (name: string) => Object.hasOwn(credentials, name) && schemes.has(name);
  // An alternative without a scheme is used only if no other one can be.
  const found = alternatives.filter((names) => names.length > 0)
    .find((names) => names.every(isKnown)) ?? [];
  return found.map((name) => schemes.get(name)!);
}

/** The credentials of schemes. Throws `unavailable` for a variable that is missing. */
export function credentialsOf(
  schemes: readonly ApiScheme[],
  { variables, environment, tool }: {
    variables: Readonly<Record<string, string>>;
    environment: Readonly<Record<string, string>>;
    tool: string;
  },
): ApiCredential[] {
  return schemes.map(({ scheme, place, name, prefix, isBasic }) => {
    const variable = variables[scheme]!;
    const secret = (Object.hasOwn(environment, variable) ? environment[variable]! : "").trim();
    const why = secret === ""
      ? `is not set`
      : /[^\x21-\x7e]/.test(secret.replaceAll(" ", ""))
      ? "has characters that a header field cannot have"
      : undefined;
    if (why === undefined) {
      return { place, name, value: `${prefix}${isBasic ? btoa(secret) : secret}` };
    }
    throw new CallError(
      "unavailable",
      `Cannot call ${
        quote(tool)
      }: the environment variable ${variable}, which has the credential ` +
        `${quote(scheme)}, ${why}`,
      { tool, variable },
    );
  });
}
