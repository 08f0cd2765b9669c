import { describe, expect, test } from 'vitest'
import { modelOf, schemaNamed } from '../reading.ts'

const ref = (name: string): string => `{$ref: '#/components/schemas/${name}'}`
const body = (name: string): string => `requestBody: {content: {application/json: {schema: ${ref(name)}}}}`
const ok = "responses: {'204': {description: ok}}"
const mask = 'parameters: [{name: update_mask, in: query, schema: {type: string}}]'

/** Returns a document with these schemas that creates `Created`, updates `Updated`, and has no response bodies. */
const api = (schemas: string): string =>
  `paths:
  /a:
    post: {operationId: create, ${body('Created')}, ${ok}}
    patch: {operationId: update, ${mask}, ${body('Updated')}, ${ok}}
components:
  schemas:
${schemas.replace(/^/gm, '    ')}
`
const plain = 'Updated: {type: string}'

describe('an input view exists if the input differs', () => {
  test.each([
    ['nothing differs', 'a: {type: string}', 'Created'],
    ['a member is only answered', 'a: {type: string, readOnly: true}', 'CreatedInput'],
    ['a member is only sent', 'a: {type: string, writeOnly: true}', 'CreatedInput'],
    ['a member has a default', 'a: {type: string, default: x}', 'CreatedInput'],
    ['a value is never sent', 'a: {type: string, enum: [u, v], x-unspecified: u}', 'CreatedInput'],
    [
      'the elements of a list differ',
      'a: {type: array, items: {type: object, properties: {b: {type: string, readOnly: true}}}}',
      'CreatedInput',
    ],
    [
      'only a schema in responses has a difference',
      'a: {type: object, readOnly: true, properties: {b: {type: string, default: x}}}',
      'CreatedInput',
    ],
  ])('%s', async (_, property, input) => {
    const model = await modelOf(api(`Created: {type: object, properties: {${property}}}\n${plain}`))
    expect(schemaNamed(model, 'Created').views).toEqual({ output: 'Created', input, update: input })
  })

  test('for referenced schemas at any distance, and in cycles', async () => {
    const model = await modelOf(
      api(
        `Created: {type: object, properties: {b: ${ref('B')}, p: ${ref('P')}}}\nB: {type: array, items: ${ref('C')}}\nC: {oneOf: [${ref('D')}]}\nD: {type: object, properties: {x: {type: string, readOnly: true}, c: ${ref('Created')}}}\nP: {type: string}\n${plain}`,
      ),
    )
    const inputs = model.schemas.map(({ views }) => views.input)
    expect(inputs).toEqual(['CreatedInput', 'BInput', 'CInput', 'DInput', 'P', 'Updated'])
  })

  test('only for schemas that requests use', async () => {
    const model = await modelOf(
      api(`Created: {type: string}\nOther: {type: object, properties: {a: {type: string, readOnly: true}}}\n${plain}`),
    )
    expect(schemaNamed(model, 'Other').views).toEqual({ output: 'Other', input: 'Other', update: 'Other' })
  })

  test('for schemas that parameters use too', async () => {
    const model = await modelOf(
      `paths: {/a: {get: {parameters: [{name: s, in: query, schema: ${ref('State')}}], ${ok}}}}\ncomponents: {schemas: {State: {type: string, enum: [U, A], x-unspecified: U}}}\n`,
    )
    expect(schemaNamed(model, 'State').views.input).toBe('StateInput')
  })
})

describe('an output view exists', () => {
  const sent = '{type: object, properties: {a: {type: string, default: x}}}'
  const answer = (name: string): string =>
    `responses: {'200': {description: ok, content: {application/json: {schema: ${ref(name)}}}}}`
  const documentOf = (responses: string, schemas: string): string =>
    `paths: {/a: {post: {${body('Sent')}, ${responses}}}}\ncomponents: {schemas: {Sent: ${sent}, ${schemas}}}\n`
  const answered = async (text: string): Promise<readonly string[]> => {
    const { schemas } = await modelOf(text)
    return schemas.filter(({ isAnswered }) => isAnswered).map(({ name }) => name)
  }

  test.each([
    ['not for a schema that is only sent and has its own name', ok, 'Other: {type: string}', ['Other']],
    ['for a schema in responses', answer('Sent'), 'Other: {type: string}', ['Sent', 'Other']],
    [
      'for a schema within a response',
      answer('Other'),
      `Other: {type: array, items: ${ref('Sent')}}`,
      ['Sent', 'Other'],
    ],
    ['for unused schemas and the schemas within', ok, `Other: {oneOf: [${ref('Sent')}]}`, ['Sent', 'Other']],
    [
      'not for a schema within a member that is only sent',
      answer('Other'),
      `Other: {type: object, properties: {s: {writeOnly: true, allOf: [${ref('Sent')}]}}}`,
      ['Other'],
    ],
  ])('%s', async (_, responses, schemas, names) => {
    expect(await answered(documentOf(responses, schemas))).toEqual(names)
  })

  test('for every enum, because requests accept only some of its values', async () => {
    const state = 'State: {type: string, enum: [U, A], x-unspecified: U}'
    expect(
      await answered(api(`Created: {type: object, properties: {s: ${ref('State')}}}\n${state}\n${plain}`)),
    ).toEqual(['State', 'Updated'])
  })

  test('under the same names with and without the input view', async () => {
    const before = schemaNamed(await modelOf(documentOf(ok, 'Other: {type: string}')), 'Sent')
    const after = schemaNamed(await modelOf(documentOf(answer('Sent'), 'Other: {type: string}')), 'Sent')
    expect([before.isAnswered, after.isAnswered]).toEqual([false, true])
    expect(after.views).toEqual(before.views)
  })
})

describe('an update view exists if a member is required', () => {
  test.each([
    ['nothing is', '{type: object, properties: {a: {type: string}}}', { input: 'Updated', update: 'Updated' }],
    [
      'a member is',
      '{type: object, required: [a], properties: {a: {type: string}}}',
      { input: 'Updated', update: 'UpdatedUpdate' },
    ],
    [
      'only a member in responses is',
      '{type: object, required: [a], properties: {a: {type: string, readOnly: true}}}',
      { input: 'UpdatedInput', update: 'UpdatedInput' },
    ],
    [
      'a single object within has it',
      '{type: object, properties: {o: {type: object, required: [a], properties: {a: {type: string}}}}}',
      { input: 'Updated', update: 'UpdatedUpdate' },
    ],
    [
      'only elements have it',
      '{type: object, properties: {l: {type: array, items: {type: object, required: [a], properties: {a: {type: string}}}}}}',
      { input: 'Updated', update: 'Updated' },
    ],
  ])('%s', async (_, schema, views) => {
    const model = await modelOf(api(`Created: {type: string}\nUpdated: ${schema}`))
    expect(schemaNamed(model, 'Updated').views).toEqual({ output: 'Updated', ...views })
  })

  test('for referenced single objects, but not for elements of lists', async () => {
    const model = await modelOf(
      api(
        `Created: {type: string}\nUpdated: {type: object, properties: {one: ${ref('One')}, many: {type: array, items: ${ref('Many')}}}}\nOne: &o {type: object, required: [a], properties: {a: {type: string}}}\nMany: *o`,
      ),
    )
    expect(model.schemas.map(({ views }) => views.update)).toEqual(['Created', 'UpdatedUpdate', 'OneUpdate', 'Many'])
  })
})

describe('the sibling of a mask in a body is sent as an update', () => {
  const object = '{type: object, required: [a], properties: {a: {type: string}}}'
  test.each([
    ['the one object is', `o: ${ref('Updated')}, n: {type: integer}`, 'UpdatedUpdate'],
    ['one with a description is', `o: {allOf: [${ref('Updated')}], description: New.}`, 'UpdatedUpdate'],
    ['one of two objects is not', `o: ${ref('Updated')}, p: {type: object, properties: {}}`, 'Updated'],
    ['a list is not', `o: {type: array, items: ${ref('Updated')}}`, 'Updated'],
  ])('%s', async (_, members, update) => {
    const masked = `{type: object, properties: {update_mask: {type: string, format: field-mask}, ${members}}}`
    const path = `paths: {/a: {post: {${body('Change')}, ${ok}}}}`
    const model = await modelOf(`${path}\ncomponents: {schemas: {Change: ${masked}, Updated: ${object}}}\n`)
    expect(schemaNamed(model, 'Updated').views).toEqual({ output: 'Updated', input: 'Updated', update })
  })

  test('a text of another format is not a mask', async () => {
    const change = `{type: object, properties: {update_mask: {type: string}, o: ${ref('Updated')}}}`
    const model = await modelOf(
      `paths: {/a: {post: {${body('Change')}, ${ok}}}}\ncomponents: {schemas: {Change: ${change}, Updated: ${object}}}\n`,
    )
    expect(model.schemas.map(({ views }) => views.update)).toEqual(['Change', 'Updated'])
  })
})

test('defaults are found in lists and references, not in the forms of a union', async () => {
  const model = await modelOf(
    api(
      `Created: {type: object, properties: {l: {type: array, items: ${ref('D')}}}}\nD: {type: object, properties: {d: {type: string, default: x}}}\nU: {oneOf: [${ref('D')}]}\nV: {oneOf: [${ref('D')}, {type: string}]}\n${plain}`,
    ),
  )
  expect(model.schemas.filter(({ hasDefaults }) => hasDefaults).map(({ name }) => name)).toEqual(['Created', 'D', 'U'])
})

test('a view avoids the name of a schema', async () => {
  const model = await modelOf(
    api(
      `Created: {type: object, properties: {a: {type: string, readOnly: true}}}\nCreatedInput: {type: string}\n${plain}`,
    ),
  )
  expect(schemaNamed(model, 'Created').views.input).toBe('CreatedInputView')
})
