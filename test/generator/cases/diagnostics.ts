const failureUntyped =
  'note failure-untyped: the content of failures (4xx and 5xx) is documentation here: handlers throw "ApiError", and callers find the body in its "response"'

/**
 * The messages about the documents of `test/cases/openapi`, keyed by run. The line and the column of a message are
 * those of the faulty text. A change of a message or a position needs a change here, after a look at the document.
 */
export const said: Readonly<Record<string, readonly string[]>> = {
  'callbacks-links-and-unused-parts': [
    'callbacks-links-and-unused-parts.yaml:11:7 warning not-honoured: "callbacks" has no effect on generated code; the rest of this object has',
    'callbacks-links-and-unused-parts.yaml:20:11 warning not-honoured: "links" has no effect on generated code; the rest of this object has',
    'callbacks-links-and-unused-parts.yaml:21:5 warning not-honoured: "trace" has no effect on generated code; the rest of this object has',
  ],
  'colon-verb-paths': [
    'colon-verb-paths.yaml:5:5 note operation-id-made: without "operationId" it is called "postJobsPurge"; add one to choose the name',
  ],
  'cookie-and-header-params': [
    'cookie-and-header-params.yaml:12:11 warning header-ignored: the header parameter "Accept" is ignored, as OpenAPI describes it elsewhere; remove it',
  ],
  'duplicate-operation-ids-across-tags': [
    'duplicate-operation-ids-across-tags.yaml:7:7 error operation-id-twice: "list" of GET /cats is the operationId of GET /dogs too; rename one',
    'duplicate-operation-ids-across-tags.yaml:13:7 error operation-id-twice: "list" of GET /dogs is the operationId of GET /cats too; rename one',
  ],
  'enum-numeric-and-duplicates': [
    'enum-numeric-and-duplicates.yaml:29:30 warning enum-twice: the value "5m" stands in this enum already',
  ],
  'enum-with-null': [
    'enum-with-null.yaml:31:11 warning enum-without-null: "nullable" has no effect: the enum does not list null; add it or remove "nullable"',
  ],
  'integer-formats-int64': [
    'integer-formats-int64.yaml:24:9 note int64-number: numbers hold the integers of the format "int64", and those beyond 2^53 are refused; choose with --int64 number, bigint or string',
  ],
  'invalid-path-param-undeclared': [
    'invalid-path-param-undeclared.yaml:5:5 error path-parameter-undeclared: "itemId" of the path "/shops/{shopId}/items/{itemId}" is no parameter; add it with "in: path"',
    'invalid-path-param-undeclared.yaml:9:11 error path-parameter-unknown: the parameter "item_id" is not in the path "/shops/{shopId}/items/{itemId}"',
    'invalid-path-param-undeclared.yaml:11:11 error parameter-twice: the parameter "query q" stands in this list already',
    'invalid-path-param-undeclared.yaml:14:3 error path-twice: the path "/shops/{id}/items/{other}" differs from "/shops/{shopId}/items/{itemId}" in names only; merge the two',
  ],
  'invalid-ref-target': [
    'invalid-ref-target.yaml:18:16 error reference-not-found: "#/components/schemas/Employe" is not found; did you mean "Employee"?',
    'invalid-ref-target.yaml:19:16 error file-unreadable: "missing/home.yaml" cannot be read: it does not exist',
  ],
  'long-running-operation': [
    'long-running-operation.yaml:11:73 note format-unchecked: the format "uri-reference" is documentation here: no check of a value looks at it',
  ],
  'missing-operation-id': [
    'missing-operation-id.yaml:5:5 note operation-id-made: without "operationId" it is called "getFarmAnimals"; add one to choose the name',
    'missing-operation-id.yaml:7:5 note operation-id-made: without "operationId" it is called "postFarmAnimals"; add one to choose the name',
    'missing-operation-id.yaml:10:5 note operation-id-made: without "operationId" it is called "getFarmAnimalsByAnimalId"; add one to choose the name',
    'missing-operation-id.yaml:14:5 note operation-id-made: without "operationId" it is called "getFarmAnimalsByAnimalIdLegsByLeg"; add one to choose the name',
    'missing-operation-id.yaml:20:5 note operation-id-made: without "operationId" it is called "getRoot"; add one to choose the name',
  ],
  'names-colliding-after-casing': [
    'names-colliding-after-casing.yaml:29:5 note name-changed: "teaCup" is taken or no name in TypeScript; it is generated as "teaCup_"',
    'names-colliding-after-casing.yaml:30:5 note name-changed: "tea-cup" is taken or no name in TypeScript; it is generated as "tea_2d_cup"',
  ],
  'octet-stream-response': [`octet-stream-response.yaml:14:9 ${failureUntyped}`],
  'oneof-overlapping': [
    'oneof-overlapping.yaml:31:5 warning branches-overlap: a value can fit branches 1 and 2 of "oneOf" and is refused then; use a discriminator',
  ],
  'schema-named-error-date-promise': [
    'schema-named-error-date-promise.yaml:28:5 note name-changed: "Promise" is taken or no name in TypeScript; it is generated as "PromiseSchema"',
    'schema-named-error-date-promise.yaml:30:5 note name-changed: "String" is taken or no name in TypeScript; it is generated as "StringSchema"',
  ],
  'schemas-without-type': [
    'schemas-without-type.yaml:20:5 warning type-missing: without "type" this checks only values of type object, and all others pass; add "type: object"',
    'schemas-without-type.yaml:23:9 warning type-missing: without "type" this checks only values of type number, and all others pass; add "type: number"',
    'schemas-without-type.yaml:26:9 warning type-missing: without "type" this checks only values of type array, and all others pass; add "type: array"',
  ],
  'security-schemes-or-and-optional': [
    'security-schemes-or-and-optional.yaml:3:1 note security-not-enforced: "security" is documentation here: generated code leaves authentication to the host',
  ],
  'text-plain-and-vendor-json': [`text-plain-and-vendor-json.yaml:18:9 ${failureUntyped}`],
  'validation-error-replies': [`validation-error-replies.yaml:17:9 ${failureUntyped}`],
  'wildcard-status-codes': [`wildcard-status-codes.yaml:13:9 ${failureUntyped}`],
  'x-nullable-and-x-enum-names': [
    'x-nullable-and-x-enum-names.yaml:33:11 warning not-honoured: "x-nullable" has no effect on generated code; the rest of this object has',
  ],
  'yaml-anchors-and-number-keys': [
    'yaml-anchors-and-number-keys.yaml:23:37 warning enum-type: the value "7" can never match, as it is not of type string; quote it or remove it',
    'yaml-anchors-and-number-keys.yaml:23:42 warning enum-type: the value "1000" can never match, as it is not of type string; quote it or remove it',
  ],
}
