import { quoted } from './write/quoted.ts'
import type { Position } from './position.ts'

/**
 * The severity of a diagnostic. An error prevents output, and a warning does with `--strict`. A note is only printed
 * with `--report`.
 */
export type Severity = 'error' | 'warning' | 'note'

/** A message without its place. */
export interface Message {
  readonly severity: Severity
  /** The stable code in kebab case, such as `one-of-without-discriminator`. */
  readonly code: string
  readonly message: string
}

/**
 * A message of the generator with its place. `printed` formats a diagnostic as `file:line:column severity code:
 * message`.
 */
export interface Diagnostic extends Message {
  readonly position: Position
}

/** Collects the diagnostics of a run without printing or throwing. */
export class DiagnosticList {
  readonly #list: Diagnostic[] = []

  /** Adds a message at a position. */
  add({ severity, code, message }: Message, position: Position): void {
    this.#list.push({ severity, code, message, position })
  }

  /** The diagnostics in the order of their addition. The getter does not compute their positions. */
  get found(): readonly Diagnostic[] {
    return this.#list
  }

  /** Whether an error was found, so that generation must stop. */
  get hasErrors(): boolean {
    return this.#list.some(({ severity }) => severity === 'error')
  }

  /**
   * Returns the distinct diagnostics, ordered by file, line and column. Computing the positions of a large document
   * takes seconds, so call `sorted` only for printing.
   */
  sorted(): readonly Diagnostic[] {
    const distinct = new Map(this.#list.map(diagnostic => [printed(diagnostic), diagnostic]))
    return [...distinct.values()].sort((a, b) => byPlace(a.position, b.position))
  }
}

/** Formats a diagnostic: `specs/compute.yaml:412:9 error code: message`. */
export const printed = ({ severity, code, message, position: { file, line, column } }: Diagnostic): string =>
  `${file}:${line}:${column} ${severity} ${code}: ${message}`

const byPlace = (a: Position, b: Position): number =>
  (a.file < b.file ? -1 : Number(a.file > b.file)) || a.line - b.line || a.column - b.column

const messageOf =
  (severity: Severity) =>
  (code: string, message: string): Message => ({ severity, code, message })
const error = messageOf('error')
const warning = messageOf('warning')
const note = messageOf('note')

const meant = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : `; did you mean ${quoted(suggestion)}?`
const oneOf = (allowed: readonly string[]): string => allowed.map(value => quoted(value)).join(', ')
const shown = (value: unknown): string =>
  quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'))

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'its symbolic links go in a circle',
  ENAMETOOLONG: 'the name is too long',
}

/** Returns the fault of the version of a document with its remedy; `member` names the format of the document. */
function versionFault(member: string | undefined, version: string | undefined): string {
  const found = version === undefined ? '' : `, not ${quoted(version)}`
  if (member === 'swagger')
    return `Swagger ${version ?? '2.0'} is not read; convert the document to OpenAPI 3.0 (for instance with swagger2openapi)`
  if (member === 'overlay')
    return 'this is an overlay, and overlays are not read; apply it to its document and generate from the result'
  if (member !== undefined && member !== 'openapi')
    return `${quoted(member)} documents describe something other than an HTTP API; give an OpenAPI 3.0 or 3.1 document`
  return `"openapi" must be "3.0.0" to "3.0.4", or "3.1.0" to "3.1.2"${found}`
}

/**
 * The messages about documents, keyed by the fault. A message names the fault and usually the remedy; the position of
 * its diagnostic names the place.
 */
export const messages = {
  // messages about files
  fileUnreadable: (file: string, code: string) =>
    error(
      'file-unreadable',
      `${quoted(file)} cannot be read: ${Object.hasOwn(unreadable, code) ? unreadable[code] : code}`,
    ),
  fileTooLarge: (file: string, maxBytes: number) =>
    error('file-too-large', `${quoted(file)} is larger than ${maxBytes / 1024 / 1024} MiB`),
  fileNotText: (file: string, encoding: 'UTF-16' | undefined) =>
    error(
      'file-not-text',
      `${quoted(file)} is not UTF-8 text${encoding === undefined ? '' : `, but ${encoding}; save it as UTF-8`}`,
    ),
  fileRemote: (url: string) =>
    error('file-remote', `${quoted(url)} is not fetched; download the document and give its file`),
  fileEmpty: () => error('not-an-object', 'the file is empty; it must hold an object'),
  markup: () => error('syntax', 'this is HTML or XML, perhaps an error page; give a document in YAML or JSON'),
  documentNameTwice: (name: string) =>
    error('document-name-twice', `another document is called ${quoted(name)} too; give one another name`),
  syntax: (text: string) => error('syntax', `cannot be parsed: ${quoted(text)}`),
  notAnObject: () => error('not-an-object', 'the file must hold an object'),
  notJson: (value: string) =>
    error('not-json', `${quoted(value)} is a value JSON does not have; write text or a number`),
  tooDeep: (maxDepth: number) => error('too-deep', `nested more than ${maxDepth} levels deep`),
  aliasBomb: () =>
    error('alias-bomb', 'YAML aliases expand this to over ten times the size of the file; write fewer copies'),

  // messages about references
  referenceLeavesFolder: (file: string) =>
    error(
      'reference-outside',
      `${quoted(file)} is outside the document's folder; move it inside or allow it with --allow-refs`,
    ),
  referenceRemote: (reference: string) =>
    error('reference-remote', `${quoted(reference)} is not fetched; keep a copy and refer to it by a relative path`),
  referenceUnparsed: (file: string) => error('reference-unparsed', `${quoted(file)} has faults; correct them first`),
  referencePointer: (reference: string) =>
    error('reference-pointer', `${quoted(reference)} must be a path, "#" and a JSON pointer that begins with "/"`),
  referenceNotFound: (reference: string, suggestion: string | undefined) =>
    error('reference-not-found', `${quoted(reference)} is not found${meant(suggestion)}`),
  referenceKind: (reference: string, wanted: string, found: string) =>
    error('reference-kind', `expected a ${wanted}, but ${quoted(reference)} is a ${found}`),
  operationReference: () =>
    warning('operation-reference', 'OpenAPI has no "$ref" in the place of an operation; its target is generated'),
  pathItemMerged: () =>
    warning(
      'path-item-merged',
      'OpenAPI does not define members beside the "$ref" of a path item; they replace those of its target',
    ),
  referenceCycle: (reference: string) =>
    error('reference-cycle', `${quoted(reference)} leads back to itself and never to an object`),
  besideReference: (name: string) =>
    warning(
      'beside-reference',
      `${quoted(name)} beside "$ref" is ignored; move it to the target of the reference, or use "allOf"`,
    ),

  // messages about the shapes of objects
  documentVersion: (member: string | undefined, version: string | undefined) =>
    error('document-version', versionFault(member, version)),
  dialectMixed: () =>
    error(
      'dialect-mixed',
      'documents of OpenAPI 3.0 and 3.1 refer to this file, which means different things in both; keep a copy for each',
    ),
  dialectUnknown: (dialect: string) =>
    warning(
      'dialect-unknown',
      `the schemas are read as those of OpenAPI 3.1, not by the dialect ${quoted(dialect)}; remove it`,
    ),
  keywordAlone: (name: string, needed: string) =>
    warning('keyword-alone', `${quoted(name)} has no effect without ${quoted(needed)}; add it or remove this`),
  contentUnchecked: (name: string) =>
    warning('content-unchecked', `the text is not checked against ${quoted(name)}; check it in the handler`),
  wrongType: (name: string, wanted: string) => error('wrong-type', `${quoted(name)} must be ${wanted}`),
  textUnquoted: (name: string) =>
    warning('text-unquoted', `${quoted(name)} is read by YAML as a number or a flag; put it in quotes`),
  missingMember: (name: string, kind: string) => error('missing-member', `this ${kind} needs ${quoted(name)}`),
  unknownMember: (name: string, kind: string, version: string) =>
    warning(
      'unknown-member',
      `${quoted(name)} is no member of a ${kind} in OpenAPI ${version} and is ignored; correct or remove it`,
    ),
  notHonoured: (name: string) =>
    warning('not-honoured', `${quoted(name)} has no effect on generated code; the rest of this object has`),
  notOneOf: (name: string, value: string, allowed: readonly string[]) =>
    error('not-one-of', `${quoted(name)} is ${quoted(value)}, but must be one of ${oneOf(allowed)}`),

  // messages about paths and operations
  pathWithoutSlash: (path: string) => error('path-without-slash', `the path ${quoted(path)} must begin with "/"`),
  pathBraces: (path: string) =>
    error('path-braces', `the braces of the path ${quoted(path)} are not paired around names`),
  pathNameTwice: (name: string) => error('path-name-twice', `the path names ${quoted(name)} twice`),
  pathAdjacent: (path: string) =>
    error('path-adjacent', `the path ${quoted(path)} has two parameters with nothing between them`),
  pathTwice: (path: string, other: string) =>
    error('path-twice', `the path ${quoted(path)} differs from ${quoted(other)} in names only; merge the two`),
  pathNames: (path: string, other: string) =>
    warning(
      'path-names',
      `the path ${quoted(path)} is that of ${quoted(other)} with other names; their methods differ, so both are generated`,
    ),
  pathParameterUndeclared: (name: string, path: string) =>
    error(
      'path-parameter-undeclared',
      `${quoted(name)} of the path ${quoted(path)} is no parameter; add it with "in: path"`,
    ),
  pathParameterUnknown: (name: string, path: string) =>
    error('path-parameter-unknown', `the parameter ${quoted(name)} is not in the path ${quoted(path)}`),
  pathParameterOptional: () => error('path-parameter-optional', 'a path parameter needs "required: true"'),
  parameterTwice: (key: string) => error('parameter-twice', `the parameter ${quoted(key)} stands in this list already`),
  parameterRepeated: (key: string) =>
    warning(
      'parameter-repeated',
      `the parameter ${quoted(key)} stands in this list already, with equal members; remove it`,
    ),
  headerIgnored: (name: string) =>
    warning(
      'header-ignored',
      `the header parameter ${quoted(name)} is ignored, as OpenAPI describes it elsewhere; remove it`,
    ),
  styleUnsupported: (style: string, place: string) =>
    error('style-unsupported', `the style ${quoted(style)} is not supported for parameters in ${place}; leave it out`),
  schemaOrContent: () => error('schema-or-content', 'a parameter needs "schema" or "content", and not both'),
  contentOfParameter: () => error('content-of-parameter', 'the content of a parameter must be of one media type'),
  contentAsJson: (type: string) =>
    warning(
      'content-as-json',
      `a parameter of the type ${quoted(type)} is sent as JSON; use "application/json", or "text/plain" with a text`,
    ),
  parameterShape: () =>
    warning(
      'parameter-shape',
      'a parameter can only hold text, numbers, booleans, lists of one of them and flat objects; use "content" with JSON',
    ),
  parameterMaps: (name: string, place: string) =>
    warning(
      'parameter-maps',
      `${quoted(name)} takes all parameters of the ${place} that have no other name, so this map is always absent; use "deepObject" or "content" with JSON`,
    ),
  parameterMembers: (name: string, other: string) =>
    warning(
      'parameter-members',
      `the members of this parameter stand in the request by their own names, and ${quoted(name)} is taken by ${quoted(other)}; use "deepObject" or "content" with JSON`,
    ),
  formMembers: (name: string, other: string) =>
    warning(
      'form-members',
      `the members of this object stand in the form by their own names, and ${quoted(name)} is taken by ${quoted(other)}; give the object an "encoding" with "contentType: application/json"`,
    ),
  headerShape: () =>
    warning(
      'header-shape',
      'a header can only hold text, numbers, booleans and lists of one of them; this one is sent as JSON, as "content" with JSON would declare',
    ),
  operationIdEmpty: () => warning('operation-id-empty', '"operationId" is empty and counts as absent; remove it'),
  operationIdTwice: (id: string, here: string, other: string) =>
    error('operation-id-twice', `${quoted(id)} of ${here} is the operationId of ${other} too; rename one`),
  operationIdMade: (name: string) =>
    note('operation-id-made', `without "operationId" it is called ${quoted(name)}; add one to choose the name`),
  responsesEmpty: () => error('responses-empty', 'an operation needs at least one response'),
  successMissing: () =>
    warning('success-missing', 'no response is a success; any 2XX response without a body counts as success'),
  statusInvalid: (status: string) =>
    error('status-invalid', `${quoted(status)} is no status; write "200", "2XX" or "default"`),
  bodyOfGet: () =>
    warning('body-of-get', 'the body of GET and HEAD is ignored, as OpenAPI says; use query parameters or POST'),
  formatUnchecked: (format: string) =>
    note('format-unchecked', `the format ${quoted(format)} is documentation here: no check of a value looks at it`),
  serverPathUnused: (url: string) =>
    note('server-path-unused', `the base path of ${quoted(url)} is in no route: mount there, or put it into baseUrl`),
  serverPathBelow: (url: string) =>
    note('server-path-unused', `clients send to the base path of ${quoted(url)}, which is in no route: mount there`),
  serverUnusable: (url: string, fault: string) =>
    warning('server-unusable', `clients send to baseUrl in place of ${quoted(url)}: ${fault}`),
  securityNotEnforced: () =>
    note('security-not-enforced', '"security" is documentation here: generated code leaves authentication to the host'),
  failureUntyped: () =>
    note(
      'failure-untyped',
      'the content of failures (4xx and 5xx) is documentation here: handlers throw "ApiError", and callers find the body in its "response"',
    ),
  int64AsNumber: () =>
    note(
      'int64-number',
      'numbers hold the integers of the format "int64", and those beyond 2^53 are refused; choose with --int64 number, bigint or string',
    ),
  pathFallback: (methods: readonly string[], template: string) =>
    note('path-fallback', `this path fits ${quoted(template)} too, which takes its ${methods.join(' and ')} requests`),
  statusCase: (status: string) =>
    warning('status-case', `${quoted(status)} is read as ${quoted(status.toUpperCase())}, as OpenAPI writes it`),
  mediaTypesLeftOut: (kept: readonly string[], left: readonly string[]) =>
    warning('media-types-left-out', `only ${oneOf(kept)} is generated; left out: ${oneOf(left)}`),
  mediaTypeAny: (form: string) =>
    note('media-type-any', `"*/*" is read as ${form}, as its schema suggests; name the type if it is another`),
  mediaTypeBinary: (type: string) =>
    warning('media-type-binary', `${quoted(type)} of format "binary" is passed on as bytes, as no JSON is binary`),
  mediaTypeCharset: (type: string) =>
    warning('media-type-charset', `${quoted(type)} is sent with "charset=utf-8", the charset of all text here`),
  mediaTypeOpaque: (type: string) =>
    warning('media-type-opaque', `${quoted(type)} is passed on as bytes; its schema is not checked`),
  mediaTypeStream: (type: string) =>
    warning('media-type-stream', `${quoted(type)} is passed on as text after its end; items are not separated`),
  mediaTypeNotText: (type: string) =>
    warning('media-type-not-text', `${quoted(type)} is passed on as text; its schema is not checked`),
  encodingIgnored: () =>
    warning('encoding-ignored', '"encoding" counts for forms in requests only, as OpenAPI says; remove it'),
  encodingKeyword: (keyword: string) =>
    warning('encoding-keyword', `${quoted(keyword)} has no effect on the parts of multipart forms; use "contentType"`),
  encodingUnknown: (name: string) =>
    warning('encoding-unknown', `the form has no property ${quoted(name)}, so its encoding changes nothing`),

  // messages about schemas
  typeNull: () =>
    warning('type-null', 'the type "null" is read as OpenAPI 3.1 defines it; in 3.0, write "nullable: true" instead'),
  examplesList: () => warning('examples-list', '"examples" of a schema is a list of values; write one'),
  itemsMissing: () => warning('items-missing', 'an array needs "items"; without it, its elements are not checked'),
  typeMissing: (type: string) =>
    warning(
      'type-missing',
      `without "type" this checks only values of type ${type}, and all others pass; add "type: ${type}"`,
    ),
  patternTooLong: (max: number) => error('pattern-too-long', `the pattern is longer than ${max} characters`),
  patternInvalid: (pattern: string) =>
    error('pattern-invalid', `the pattern ${quoted(pattern)} is no regular expression of JavaScript; correct it`),
  patternForeign: (part: string) =>
    warning(
      'pattern-foreign',
      `${quoted(part)} is of another dialect of regular expressions, so the pattern is not checked; write it for JavaScript`,
    ),
  patternNotUnicode: (pattern: string) =>
    warning(
      'pattern-not-unicode',
      `the pattern ${quoted(pattern)} is compiled without Unicode mode, which refuses it; remove needless backslashes`,
    ),
  boundsCrossed: (low: string, high: string) =>
    warning('bounds-crossed', `no value fits: ${quoted(low)} is above ${quoted(high)}`),
  readAndWriteOnly: () => error('read-and-write-only', '"readOnly" and "writeOnly" exclude each other'),
  enumEmpty: () => warning('enum-empty', 'no value fits an enum without values; list at least one'),
  typeEmpty: () => warning('type-empty', 'no value fits a list of no types; name at least one'),
  enumTwice: (value: unknown) => warning('enum-twice', `the value ${shown(value)} stands in this enum already`),
  enumNull: () => warning('enum-null', 'null in an enum without "nullable: true" is taken as nullable; add it'),
  enumWithoutNull: () =>
    warning('enum-without-null', '"nullable" has no effect: the enum does not list null; add it or remove "nullable"'),
  enumType: (value: unknown, type: string) =>
    warning(
      'enum-type',
      `the value ${shown(value)} can never match, as it is not of type ${type}; quote it or remove it`,
    ),
  enumConstraint: (name: string) =>
    warning('enum-constraint', `${quoted(name)} beside "enum" is not checked; list only values that fit`),
  unspecifiedUnknown: (value: string) =>
    error('unspecified-unknown', `"x-unspecified" names ${quoted(value)}, which is no value of the enum`),
  defaultDoesNotFit: (value: unknown) =>
    warning('default-does-not-fit', `the default ${shown(value)} does not fit its schema and is left out`),
  discriminatorAbsent: (property: string) =>
    warning(
      'discriminator-absent',
      `this branch must require the property ${quoted(property)}, which tells branches apart`,
    ),
  discriminatorInline: () =>
    warning(
      'discriminator-inline',
      'a discriminator needs each branch to be a "$ref" to a named schema; it is ignored',
    ),
  discriminatorAlone: () =>
    warning('discriminator-alone', 'no schema extends this one, so its discriminator decides nothing'),
  discriminatorTarget: (target: string) =>
    warning(
      'discriminator-target',
      `the mapping names ${quoted(target)}, which is none of the branches; it is left out`,
    ),
  branchesOverlap: (first: number, second: number) =>
    warning(
      'branches-overlap',
      `a value can fit branches ${first} and ${second} of "oneOf" and is refused then; use a discriminator`,
    ),
  branchUnmeetable: (property: string) =>
    warning('branch-unmeetable', `no value fits: ${quoted(property)} is required here and refused by a closed branch`),
  unevaluatedTooLarge: (max: number) =>
    error(
      'unevaluated-too-large',
      `more than ${max} schemas beside this keyword decide what it refuses; list the members or items instead`,
    ),
  schemaCycle: (name: string) => error('schema-cycle', `${quoted(name)} is made of itself without an object between`),

  // messages about names
  nameChanged: (name: string, became: string) =>
    note('name-changed', `${quoted(name)} is taken or no name in TypeScript; it is generated as ${quoted(became)}`),

  // messages about the extensions of the platform
  accessMissing: () => error('access-missing', 'this operation needs "x-access", as others of the document have it'),
  reasonName: (reason: string) =>
    error('reason-name', `${quoted(reason)} must be upper case letters, digits and "_", at most 80`),
  extensionForeign: (name: string) =>
    warning(
      'extension-foreign',
      `${quoted(name)} is not in the form of this generator and is ignored; a reason needs "code" and "description"`,
    ),
  reasonUnknown: (reason: string, suggestion: string | undefined) =>
    error('reason-unknown', `${quoted(reason)} is declared in no "x-errors"${meant(suggestion)}`),
  reasonCodeTwice: (code: number, other: string) =>
    error('reason-code-twice', `the code ${code} is that of ${quoted(other)} too`),
  reasonBase: (code: number, base: number) =>
    error('reason-base', `the code ${code} is not between ${base} and ${base + 999_999}, where the others are`),
  permissionDiffers: (key: string) =>
    error('permission-differs', `${quoted(key)} is declared with another class elsewhere; make them agree`),
  multipleOfZero: () => error('multiple-of-zero', '"multipleOf" must be greater than 0'),
  listWithoutRows: () =>
    error(
      'list-without-rows',
      'a list with "x-filter" must answer an object with one array of rows and a "next_page_token"',
    ),
  filterFieldUnknown: (field: string, suggestion: string | undefined) =>
    error('filter-field-unknown', `the rows have no field ${quoted(field)}${meant(suggestion)}`),
  filterEnumUnknown: (name: string) => error('filter-enum-unknown', `${quoted(name)} is no enum schema`),
  filterOrder: (field: string) =>
    error('filter-order', `the default order names ${quoted(field)}, which is no sortable field`),
} as const satisfies Readonly<Record<string, (...args: never) => Message>>
