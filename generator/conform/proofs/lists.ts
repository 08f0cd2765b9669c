import type { FilterField, ListTrait, Operation, Parameter } from '../../model/types.ts'
import type { HttpAnswer } from '../call.ts'
import { type Draft, withParameter } from '../draft.ts'
import { isObject, memberOf, parsed } from '../json.ts'
import { pairs } from '../pairs.ts'
import type { Probe } from '../probe.ts'
import { rowDraft } from '../rows.ts'
import { existingDraft, type Subject } from '../subject.ts'
import { mustBeAccepted, mustBeRefused, mustSucceed } from '../verdict.ts'

/**
 * Proves the rules of lists that the schemas of the parameters do not express: the rules of `filter`, `order_by`,
 * `page_token` and paging (conventions §8).
 */
export async function proveLists(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const { list } = subject.operation
  if (!list) return
  for (const { accepted, name, reason, refused } of casesOf(list)) {
    const parameter = queryOf(subject.operation, name)
    if (!parameter) continue
    for (const value of accepted) {
      const what = `${name}: ${value}`
      mustBeAccepted(await probe.send(withParameter(draft, parameter, value), what), what, subject, probe)
    }
    for (const value of refused) {
      const what = `${name}: ${value}`
      const answer = await probe.send(withParameter(draft, parameter, value), what)
      mustBeRefused(answer, what, { reason, fields: [name] }, subject, probe)
    }
    const twice = { ...draft, pairs: [...pairs(parameter, ''), ...pairs(parameter, '')] }
    const answer = await probe.send(twice, `${name}: given twice`)
    mustBeRefused(answer, `${name}: given twice`, { reason: 'FIELD_INVALID', fields: [name] }, subject, probe)
  }
  await provePages(subject, probe, existingDraft(draft, subject) ?? (await rowDraft(draft, subject, probe)) ?? draft)
}

interface Case {
  readonly name: string
  readonly reason: string
  readonly accepted: readonly string[]
  readonly refused: readonly string[]
}

const queryOf = ({ parameters }: Operation, name: string): Parameter | undefined =>
  parameters.find(parameter => parameter.in === 'query' && parameter.name === name)

function casesOf({ fields }: ListTrait): readonly Case[] {
  const sorted = fields.filter(({ sortable }) => sortable).map(({ name }) => name)
  const [first] = sorted
  const unsorted = fields.filter(({ sortable, name }) => !sortable && !sorted.includes(name)).slice(0, 1)
  return [
    { name: 'page_token', reason: 'PAGE_TOKEN_INVALID', accepted: [''], refused: ['no-token', 'AAAA', '%'] },
    {
      name: 'order_by',
      reason: 'ORDER_BY_INVALID',
      accepted: sorted.flatMap(name => [name, `${name} desc`]),
      refused: [
        'x_not_declared',
        ...unsorted.map(({ name }) => name),
        ...(first === undefined ? [] : [`${first}, ${first} desc`, `${first} down`, `${first} DESC`]),
      ],
    },
    {
      name: 'filter',
      reason: 'FILTER_INVALID',
      accepted: fields.flatMap(acceptedFilters),
      refused: ['x_not_declared = 1', '(', 'AND', 'word', ...fields.flatMap(refusedFilters)],
    },
  ]
}

/** A valid literal, keyed by filter type. */
const literals: Readonly<Record<string, string>> = {
  STRING: '"text"',
  INTEGER: '1',
  NUMBER: '1.5',
  BOOLEAN: 'true',
  TIMESTAMP: '"2026-01-15T09:30:00Z"',
  DURATION: '1.5s',
}

/** An invalid literal, keyed by filter type. */
const invalidLiterals: Readonly<Record<string, string>> = {
  INTEGER: 'text',
  NUMBER: 'text',
  BOOLEAN: 'maybe',
  TIMESTAMP: 'yesterday',
  DURATION: 'long',
  ENUM: 'X_NOT_DECLARED',
}

const literalOf = ({ enumValues, type }: FilterField): string =>
  (type === 'ENUM' ? enumValues?.[0] : memberOf(literals, type)) ?? 'text'

/**
 * Returns the filters that a field must accept: a filter with each operator, and a test for presence (`:*`). A map has
 * filters for one key, and a field without operators has none.
 */
function acceptedFilters(field: FilterField): readonly string[] {
  const { name, operators, type } = field
  if (operators.length === 0) return []
  if (type === 'PRESENCE') return [`${name}:*`]
  if (type === 'MAP') return [`${name}:key`, `${name}.key:*`, `${name}.key = "text"`]
  return [`${name}:*`, ...operators.map(operator => `${name} ${operator} ${literalOf(field)}`)]
}

function refusedFilters(field: FilterField): readonly string[] {
  const { list, name, operators, type } = field
  if (operators.length === 0) return [`${name} = text`]
  if (type === 'PRESENCE') return [`${name} = text`]
  if (type === 'MAP') return [`${name} = text`]
  const invalid = memberOf(invalidLiterals, type)
  const operator = list ? ':' : operators[0]
  return [
    ...(operators.includes('<') ? [] : [`${name} < ${literalOf(field)}`]),
    ...(invalid === undefined ? [] : [`${name} ${operator ?? '='} ${invalid}`]),
  ]
}

/**
 * Proves paging with a page size of one: the first page has at most one row, and its page token is valid for the second
 * page but not for another page size.
 */
async function provePages(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const size = queryOf(subject.operation, 'page_size')
  const token = queryOf(subject.operation, 'page_token')
  const member = subject.operation.list?.member
  if (!size || !token || member === undefined) return
  const first = withParameter(draft, size, 1)
  const page = pageOf(await probe.send(first, 'a page of one row'), member)
  if (!page) return
  if (page.rows > 1) probe.find('answer', 'a page of one row', 'at most 1 row', `${page.rows} rows`)
  if (page.next === '') return
  const what = 'the second page'
  mustSucceed(await probe.send(withParameter(first, token, page.next), what), what, subject, probe)
  const other = withParameter(withParameter(draft, size, 2), token, page.next)
  const refusal = { reason: 'PAGE_TOKEN_INVALID', fields: ['page_token'] }
  const answer = await probe.send(other, 'page_token: of another query')
  mustBeRefused(answer, 'page_token: of another query', refusal, subject, probe)
}

function pageOf(
  answer: HttpAnswer | undefined,
  member: string,
): { readonly rows: number; readonly next: string } | undefined {
  const value = answer && answer.status < 300 ? parsed(answer.body)?.value : undefined
  if (!isObject(value)) return undefined
  const rows = memberOf(value, member)
  const next = memberOf(value, 'next_page_token')
  return { rows: Array.isArray(rows) ? rows.length : 0, next: typeof next === 'string' ? next : '' }
}
