import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { within } from '../../../generator/model/walk.ts'
import type { Model, Schema } from '../../../generator/model/types.ts'
import { built, casesFolder, codesOf, readFrom } from '../reading.ts'

/**
 * The documents of each run, keyed by the folder of the case, for cases with several files; every other case is one
 * file.
 */
const folders: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'change-pair-breaking': [['before.yaml'], ['after.yaml']],
  'external-file-refs': [['openapi.yaml']],
  'same-document-two-orders': [['one.yaml'], ['two.yaml']],
  'two-specs-sharing-one-file': [['animal.yaml', 'fruit.yaml'], ['common.yaml']],
}

/**
 * The errors of the faulty documents, and of a file without paths that is read as an entry document. The errors are
 * keyed by document, each as its line and code.
 */
const expectedErrors: Readonly<Record<string, readonly string[]>> = {
  'duplicate-operation-ids-across-tags.yaml': ['7 operation-id-twice', '13 operation-id-twice'],
  'invalid-path-param-undeclared.yaml': [
    '5 path-parameter-undeclared',
    '9 path-parameter-unknown',
    '11 parameter-twice',
    '14 path-twice',
  ],
  'invalid-ref-target.yaml': ['18 reference-not-found', '19 file-unreadable'],
  'two-specs-sharing-one-file/common.yaml': [
    '1 document-version',
    '1 missing-member',
    '1 missing-member',
    '1 missing-member',
  ],
}

/** The expected warnings and notes, keyed by document, each as its line and code. */
const expectedRemarks: Readonly<Record<string, readonly string[]>> = {
  'callbacks-links-and-unused-parts.yaml': ['11 not-honoured', '20 not-honoured', '21 not-honoured'],
  'cookie-and-header-params.yaml': ['12 header-ignored'],
  'enum-numeric-and-duplicates.yaml': ['29 enum-twice'],
  'enum-with-null.yaml': ['31 enum-without-null'],
  'octet-stream-response.yaml': ['14 failure-untyped'],
  'oneof-overlapping.yaml': ['31 branches-overlap'],
  'several-request-media-types.yaml': [],
  'text-plain-and-vendor-json.yaml': ['18 failure-untyped'],
  'validation-error-replies.yaml': ['17 failure-untyped'],
  'wildcard-status-codes.yaml': ['13 failure-untyped'],
  'yaml-anchors-and-number-keys.yaml': ['23 enum-type', '23 enum-type'],
  'schemas-without-type.yaml': ['20 type-missing', '23 type-missing', '26 type-missing'],
  'x-nullable-and-x-enum-names.yaml': ['33 not-honoured'],
}

const cases = readdirSync(casesFolder, { withFileTypes: true }).flatMap(entry => {
  if (entry.isDirectory()) return (folders[entry.name] ?? []).map(files => files.map(file => `${entry.name}/${file}`))
  return entry.name.endsWith('.yaml') ? [[entry.name]] : []
})

describe('a case', () => {
  test('of several files has its runs in the table', () => {
    const found = readdirSync(casesFolder, { withFileTypes: true }).filter(entry => entry.isDirectory())
    expect(found.map(({ name }) => name).toSorted()).toEqual(Object.keys(folders).toSorted())
  })

  test.each(cases.map(files => [files.join(' and '), files] as const))(
    '%s is built, with its expected errors',
    async (name, files) => {
      const reading = await readFrom(casesFolder, files)
      const { diagnostics, model } = built(reading)
      const all = [...reading.diagnostics, ...diagnostics]
      expect(codesOf(all.filter(text => text.includes(' error ')))).toEqual(expectedErrors[name] ?? [])
      const remarks = expectedRemarks[name]
      if (remarks) expect(codesOf(all)).toEqual(remarks)
      if (!expectedErrors[name]) expectWhole(model)
    },
  )
})

/**
 * Checks that every reference of a model names a schema of the model, that the names of a document are unique, and that
 * each operation has a group and a success.
 */
function expectWhole(model: Model): void {
  const ids = new Set(model.documents.flatMap(({ schemas }) => schemas.map(({ id }) => id)))
  for (const { schemas, operations, groups } of model.documents) {
    const contents = operations.flatMap(({ body, failures, parameters, successes }): readonly Schema[] => [
      ...(body ? [body.content.schema] : []),
      ...parameters.map(({ schema }) => schema),
      ...[...successes, ...failures].flatMap(({ content }) => (content ? [content.schema] : [])),
    ])
    for (const root of [...schemas.map(({ schema }) => schema), ...contents]) {
      for (const part of within(root)) if (part.kind === 'ref') expect(ids).toContain(part.target)
    }
    const types = [
      ...schemas.flatMap(({ parsedName, views }) => [...new Set([...Object.values(views), parsedName])]),
      ...operations.flatMap(({ parsedRequestName, requestName }) => [requestName, parsedRequestName]),
    ]
    for (const names of [types, operations.map(({ name }) => name), operations.map(({ routeName }) => routeName)]) {
      expect(new Set(names).size).toBe(names.length)
    }
    expect(groups.flatMap(group => group.operations).length).toBe(operations.length)
    for (const { successes } of operations) expect(successes.length).toBeGreaterThan(0)
  }
}
