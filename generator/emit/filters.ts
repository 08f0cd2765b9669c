import type { Document, FilterField, Operation } from '../model/types.ts'
import { type Emission, openFile } from './emission.ts'
import { listNames } from './list-names.ts'
import type { OutputFile } from './file.ts'
import { docComment, inSentence } from './layout/comment.ts'
import { type Doc, print } from './layout/doc.ts'
import { array, object, quote } from './layout/typescript.ts'
import { render } from './templates.ts'

/** filters.ts: what each list filters and sorts by, from `x-filter`. */
export function emitFilters(emission: Emission): OutputFile | undefined {
  const lists = emission.document.operations.filter(({ list }) => list !== undefined)
  if (lists.length === 0) return undefined
  const file = openFile(emission, 'filters')
  const { name, title } = emission.document
  const joined = array(withResource(lists).map(operation => listNames(operation, emission.document).fields))
  const view = {
    comment: docComment(`The filter schemas of ${inSentence(title)}, ordered by resource.`),
    name: `${name}Filters`,
    listFields: file.runtime('ListFields'),
    lists: lists.map(operation => listView(operation, emission.document)),
    joined: print(joined, 0, `export const ${name}Filters: readonly ${file.runtime('ListFields')}[] = `.length),
  }
  file.write(render('filters', view))
  return file
}

function withResource(lists: readonly Operation[]): readonly Operation[] {
  const named = lists.filter(({ list }) => list?.resource !== undefined)
  return named.toSorted((a, b) => (resourceOf(a) < resourceOf(b) ? -1 : 1))
}

const resourceOf = ({ list }: Operation): string => list?.resource ?? ''

function listView(operation: Operation, document: Document): object {
  const { list } = operation
  return {
    operation: operation.name,
    name: listNames(operation, document).fields,
    resource: list?.resource === undefined ? '' : quote(list.resource),
    fields: print([array(list?.fields.map(fieldOf) ?? [], (list?.fields.length ?? 0) > 1), ','], 2, 10),
    defaultOrder: quote(list?.defaultOrder ?? ''),
    key: quote(list?.key ?? ''),
  }
}

function fieldOf({ name, path, type, values, list, operators, sortable, enumValues }: FilterField): Doc {
  const rows: Doc[] = [`name: ${quote(name)}`]
  if (path !== undefined) rows.push(`path: ${quote(path)}`)
  rows.push(`type: '${type}'`)
  if (values) rows.push(`values: '${values}'`)
  if (list) rows.push('list: true')
  rows.push(['operators: ', array(operators.map(quote))])
  if (sortable) rows.push('sortable: true')
  if (enumValues) rows.push(['enumValues: ', array(enumValues.map(quote))])
  return object(rows)
}
