import {
  both,
  called,
  counts,
  declined,
  elsewhere,
  holds,
  judged,
  later,
  nowhere,
  type Proof,
  refuses,
  says,
  served,
  textOf,
} from './proof.ts'

/**
 * The proofs, keyed by case and by the beginning of a line. A line that begins with Server or Client describes the
 * behaviour of the running output.
 */
export const prose: Readonly<Record<string, Readonly<Record<string, Proof>>>> = {
  'additional-properties-typed-with-properties': {
    'Types compile': holds(
      'types',
      'player: string',
      '[member: string]: { points: number } | string | number | undefined',
    ),
  },
  'allof-closed-branch': {
    'A closed branch': judged,
    'If a branch could never': elsewhere('the tests of the model: branch-unmeetable'),
  },
  'allof-with-sibling-properties': {
    Types: holds('types', 'grams: number', 'export type Parcel = Weighed & { lane: string; note?: string }'),
  },
  'callbacks-links-and-unused-parts': {
    'Parts that are not': says(/"callbacks" has no effect/, /"links" has no effect/, /"trace" has no effect/),
    'The expression key': both(holds('types', 'export interface Fired', 'export type NeverUsed'), nowhere(/\$request/)),
    '`traceHook`': both(says(/:21:5 warning .*"trace"/), nowhere(/traceHook/)),
  },
  'change-pair-breaking': {
    'A change report': elsewhere('the tests of write/diff'),
    'No false alarm': elsewhere('the tests of write/diff'),
  },
  'circular-refs': {
    'Generation ends': holds('types', 'parent?: Folder', 'notes?: Note[]', 'inside?: Folder'),
    'A value nested': elsewhere('running.test.ts'),
  },
  'colon-verb-paths': {
    'A nameless operation': holds('handlers', 'postJobsPurge(', 'jobsCancel('),
  },
  'cookie-and-header-params': {
    Types: both(
      holds('types', 'basket_id: string', "'X-Trace-ID': string", "theme?: 'dark' | 'light'"),
      says(/"Accept" is ignored/),
    ),
  },
  'date-params-and-bodies': {
    'One documented rule': holds(
      'types',
      'day: string',
      'since?: string',
      'from: string',
      'visits?: { on?: string }[]',
    ),
  },
  'deep-object-query': {
    'A Date for': declined('dates are strings, so none has to be written'),
  },
  'default-response-only': {
    Types: holds('handlers', 'Reply<number, { ok: boolean }>'),
  },
  'default-values-of-every-type': {
    Types: both(
      holds('types', "size?: 's' | 'm'", 'body?: PickInput'),
      holds('validators', 'value.ratio ?? 0.5', "value.empty ?? ''", '?? false', '?? 0,', '?? []', "?? ['up']"),
    ),
  },
  'description-with-comment-terminator': {
    'Output parses': both(
      holds('types', '**\\/*.txt', '\n * Second line.\n', '\\@deprecated is only a word here'),
      counts('types', /^\s*\* @deprecated$/gm, 1),
    ),
    'Carriage returns': elsewhere('diagnostics.test.ts: the same documents give the same bytes'),
  },
  'discriminator-inheritance': {
    'A reference to': holds(
      'types',
      "export type Stall = (FruitStall & { trade: 'fruit' }) | (Cheese & { trade: 'Cheese' })",
    ),
    'Children not referenced': holds('types', 'export type Cheese ='),
  },
  'discriminator-mapping': {
    Types: holds('types', "export type Move = (StepMove & { kind: 'step' }) | (LeapMove & { kind: 'leap' })"),
    'Errors come': elsewhere('running.test.ts'),
  },
  'duplicate-operation-ids-across-tags': {
    'INTENTIONALLY INVALID': says(
      /:7:7 error .*"list" of GET \/cats .* GET \/dogs/,
      /:13:7 error .*"list" of GET \/dogs/,
    ),
    'Or, with a documented option': declined('names are unique in a document; the error says what to rename'),
    'Never:': nowhere(/./),
  },
  'empty-2xx-body': {
    Types: holds('handlers', 'Reply<200> | Reply<201, { id: number }> | Reply<204>'),
  },
  'enum-numeric-and-duplicates': {
    Types: both(
      holds('types', 'ratio: -1 | 0 | 1 | 65536', "level: '1s' | '5m' | '10' | 'no-limit'", 'half?: 0.5 | 1.5'),
      says(/"5m" stands in this enum already/),
    ),
    'Member names': declined('enums are lists of values without names of members'),
  },
  'enum-open-for-clients': {
    'Server side': judged,
    'Client side': elsewhere('running.test.ts'),
    'No magic member': holds('types', "state: 'queued' | 'moving' | 'done'\n", "size?: 's' | 'l'\n"),
  },
  'enum-with-null': {
    Types: both(
      holds('types', "height: 'low' | 'tall' | null", "finish: 'oak' | 'pine'\n"),
      says(/"nullable" has no effect/),
    ),
    'Any emitted constant': nowhere(/NULL/),
  },
  'event-stream-response': {
    'If streams': both(
      holds('handlers', 'Promise<AsyncIterable<Answer<Tick>>>'),
      holds('client', 'Promise<AsyncIterable<Tick>>'),
      holds('routes', "type: 'text/event-stream', kind: /* @__PURE__ */ eventStream()"),
    ),
  },
  'external-file-refs': {
    'References are relative': holds('types', 'meta: Meta', 'meta?: RequestsMeta', 'made: string', 'via: string'),
    '`Fault` is one': counts('types', /export interface \w*Fault/g, 1),
    'Drift check': elsewhere('the tests of the command; cases.test.ts for absolute paths'),
  },
  'filter-subset-by-tag': {
    'With a "only tag': later(
      'there is no option that takes a part of a document',
      runs => !/dropPub/.test(textOf(runs, 'routes')),
    ),
    'The setting': later(
      'there is no option that takes a part of a document',
      runs => !/dropPub/.test(textOf(runs, 'routes')),
    ),
    'Without the setting': holds('routes', 'readPub:', 'dropPub:'),
  },
  'form-explode-arrays': {
    'Commas inside': served,
    'An empty array': called,
  },
  'form-urlencoded-body': {},
  'huge-enum': {
    '401 values': both(
      holds('types', 'export type Cell = (typeof cellValues)[number]', 'cell: Cell', 'near?: Cell[]'),
      holds('validators', 'new Set<unknown>(cellValues)'),
    ),
    'The error for': elsewhere('running.test.ts'),
  },
  'integer-formats-int64': {
    Types: holds('types', 'big: number', 'small: number'),
    '9007199254740993': elsewhere('int64.test.ts, with the options; wire-values.test.ts, without an option'),
  },
  'invalid-path-param-undeclared': {
    'INTENTIONALLY INVALID': says(/"itemId"/, /"item_id"/, /"query q"/, /differs from/),
    'Right: four errors': refuses(4),
  },
  'invalid-ref-target': {
    'INTENTIONALLY INVALID': says(
      /:18:16 error .*Employe" is not found; did you mean "Employee"/,
      /:19:16 error .*missing\/home\.yaml/,
    ),
    'No stack trace': elsewhere('diagnostics.test.ts'),
  },
  'long-running-operation': {
    Client: later('only operations in the form of getOperation are waited for', runs =>
      /wait\w*\(/.test(textOf(runs, 'client')),
    ),
    Server: holds('handlers', "'Operation-Location': string"),
  },
  'min-max-exclusive': { '3.0 form': judged },
  'missing-operation-id': {
    'Five stable': holds(
      'handlers',
      'getFarmAnimals(',
      'postFarmAnimals(',
      'getFarmAnimalsByAnimalId(',
      'getFarmAnimalsByAnimalIdLegsByLeg(',
      'getRoot(',
    ),
    'A note lists': says(/note .*"getFarmAnimals"/, /note .*"getRoot"/),
  },
  'multipart-file-array': {
    Types: holds('types', 'photos: FormFile[]', 'year?: number', 'cover?: FormFile', '| FormData'),
  },
  'names-colliding-after-casing': {
    'Four distinct': both(
      holds('types', 'a: Tea_Cup', 'b: TeaCup', 'c: teaCup_', 'export type tea_2d_cup'),
      holds(
        'validators',
        'function checkTea_Cup(',
        'function checkTeaCup(',
        'function checkTeaCup_(',
        'function checkTea_2d_cup(',
      ),
    ),
    'The rename is': says(/"teaCup" .* generated as "teaCup_"/, /"tea-cup" .* generated as "tea_2d_cup"/),
  },
  'nullable-ref': {
    'Types:': holds('types', 'cushion: Cushion | null', 'spare: { tint?: string } | null'),
    'Types and validators': judged,
  },
  'octet-stream-response': {},
  'oneof-overlapping': {
    Types: both(holds('types', 'export type Fare = Split | Flat'), says(/can fit branches 1 and 2/)),
    'The error says': elsewhere('running.test.ts'),
  },
  'optional-request-body': { Types: holds('types', 'body?: { steps: number }') },
  'pagination-cursor': {
    Client: later('only lists with x-filter have iterators', runs => /AsyncGenerator<Row/.test(textOf(runs, 'client'))),
    'A failed later page': elsewhere('the tests of iterate'),
  },
  'param-content-json': { Types: holds('types', 'near: { lat: number; lon: number }') },
  'path-params-with-special-chars': {
    'Router syntax': holds('routes', "path: ['/files/', 'file-name', '/parts/', 'part.no']"),
  },
  'pattern-with-slashes-and-unicode': {
    'Patterns are': both(judged, holds('validators', '/u\n')),
    'A pattern that is not': elsewhere('the tests of read: pattern-invalid'),
  },
  'property-names-needing-quotes': {
    Types: holds(
      'types',
      "'font-size': number",
      "'2x': string",
      "'has space': boolean",
      'class: string',
      '"it\'s"?: string',
    ),
    'Output compiles': elsewhere('cases.test.ts; running.test.ts: field paths, in the form of conventions §7'),
  },
  'prototype-property-names': {
    'Presence is': judged,
    'A body with': elsewhere('running.test.ts'),
  },
  'query-boolean-and-single-array': {
    'The handler receives': holds('types', 'all?: boolean', 'tag?: string[]', 'level?: 1 | 2', 'code?: string'),
  },
  'query-names-with-brackets': {
    Types: both(
      holds(
        'types',
        "'page[number]'?: number",
        "'ids[]'?: number[]",
        "'filter[kind]'?: 'note' | 'poll'",
        '$top?: number',
      ),
      nowhere(/(?:type|interface) \w*\[/),
    ),
  },
  'readonly-writeonly-required': {
    Types: both(
      holds('types', 'export interface Member {\n  id: number\n  login: string\n  seen?: string\n}'),
      holds('types', 'export interface MemberInput {\n  login: string\n  secret: string\n}'),
    ),
    'A sent `id`': holds('validators', 'omit(value, memberOmitted)'),
  },
  'refs-to-every-component-kind': {
    'Every kind': both(judged, holds('types', 'zone: Alias2', 'body: Zone')),
  },
  'reserved-word-operation-ids': {
    'Output compiles': both(
      holds('handlers', "'new'(", 'delete(', 'await('),
      holds('routes', 'newOperation', 'deleteOperation', 'awaitOperation'),
    ),
    Parameters: holds('routes', "name: 'in'", "name: 'default'"),
    'Routes and drift': holds('routes', "operationId: 'new'", "operationId: 'delete'", "operationId: 'await'"),
  },
  'response-headers': {
    Types: holds(
      'handlers',
      "Reply<200, string[], { 'X-Total-Count': number; ETag: string; 'X-Flags'?: string[] }>",
      'Reply<304, undefined, { ETag: string }>',
    ),
  },
  'same-document-two-orders': {
    'Both files': elsewhere('diagnostics.test.ts: in another order the same words'),
    'Running twice': elsewhere('diagnostics.test.ts: the same documents give the same bytes'),
    '`--check`': elsewhere('the tests of write'),
  },
  'same-name-in-path-and-query': {
    'Three separate': holds('types', '  id: number\n  query_id?: string\n  header_id?: boolean\n'),
  },
  'schema-named-error-date-promise': {
    'Output compiles': both(judged, nowhere(/type (\w+) = \1\n/)),
    'The public type names': both(
      holds('types', 'export interface Error ', 'export type Date = string', 'export type PromiseSchema'),
      says(/"Promise" .* "PromiseSchema"/),
    ),
  },
  'schemas-without-type': {
    'Without `type`': holds('types', 'a: number', 'b?: unknown', 'c?: unknown', "e?: 'x' | 1 | true"),
    'A tool may warn': says(/only values of type object/),
  },
  'security-schemes-or-and-optional': {
    '`[]` on': later(
      'security schemes are not enforced: the host says who calls',
      ({ first }) => !first.printed.join('').includes('security-not-enforced'),
    ),
    Server: later(
      'security schemes are not enforced: the host says who calls',
      ({ first }) => !first.printed.join('').includes('security-not-enforced'),
    ),
    Types: later(
      'security schemes are not enforced: the host says who calls',
      ({ first }) => !first.printed.join('').includes('security-not-enforced'),
    ),
    Client: later(
      'security schemes are not read: a transport has one token provider',
      ({ first }) => !first.printed.join('').includes('security-not-enforced'),
    ),
  },
  'several-request-media-types': {
    Types: holds(
      'types',
      "{ contentType: 'application/json'; body: { url: string } }",
      "{ contentType: 'multipart/form-data'; body: { file: FormFile } | FormData }",
      "{ contentType: 'image/png'; body: Bytes }",
    ),
  },
  'spec-strings-with-code': {
    'The document is text': elsewhere('running.test.ts and ../hostile'),
    'A default left out': elsewhere('running.test.ts'),
  },
  'static-and-templated-paths': {
    '`GET /users/me`': served,
    '`DELETE /users/abc`': served,
    'HEAD follows': served,
  },
  'string-length-and-unique-items': { 'Length counts': judged },
  'text-plain-and-vendor-json': {
    Types: both(
      holds('types', 'body: string'),
      holds('handlers', 'Answer<{ said: string }>'),
      holds('routes', "'application/vnd.acme.echo+json'"),
    ),
  },
  'two-specs-sharing-one-file': {
    'One run can': both(
      counts('types', /export (?:type|interface) (?:Name|Fault)\b/g, 2),
      holds('types', "import type { Name } from '../animal/types.ts'"),
    ),
    '`list` in each': declined('there are no barrels: each document is imported from its own folder'),
    '`--check`': elsewhere('the tests of the command'),
  },
  'unicode-identifiers': {
    'Names are kept': both(
      holds('types', '長さ: number', 'naïve: boolean', "'👍'?: number"),
      holds('handlers', 'größeLesen('),
    ),
  },
  'validation-error-replies': { 'Values sent': served },
  'wildcard-status-codes': {
    Types: both(holds('handlers', 'Reply<number, { job: string }>'), nowhere(/NaN/)),
    'Exact code': elsewhere('the tests of conform'),
  },
  'x-nullable-and-x-enum-names': {
    '`x-` keys': both(judged, says(/"x-nullable" has no effect/)),
    'If member names': declined('enums are lists of values without names of members'),
  },
  'yaml-anchors-and-number-keys': {
    'YAML 1.2': holds(
      'types',
      "on: 'yes' | 'no' | 'on' | 'off' | 'y' | 'n'",
      "day: '2024-01-01' | '2024-01-02'",
      "'404'?: string",
      'true?: boolean',
    ),
    'A number in an enum': says(/:23:37 warning .*"7"/, /:23:42 warning .*"1000"/),
  },
}
