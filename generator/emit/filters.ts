import type { Document, FilterField, Operation } from '../model/types.ts'
import { type Emission, openFile } from './emission.ts'
import { listNames } from './list-names.ts'
import type { OutputFile } from './file.ts'
import { inSentence } from './layout/comment.ts'
import { quote, texts } from './layout/typescript.ts'
import { render } from './templates/render.ts'
import type { FilteredField, FilteredList } from './views/filters.ts'

/** Emits filters.ts: the filter and sort fields of each list, from `x-filter`. Returns undefined without lists. */
export function emitFilters(emission: Emission): OutputFile | undefined {
  const lists = emission.document.operations.filter(({ list }) => list !== undefined)
  if (lists.length === 0) return undefined
  const file = openFile(emission, 'filters')
  const { name, title } = emission.document
  const view = {
    title: inSentence(title),
    name: `${name}Filters`,
    ListFields: file.runtime('ListFields'),
    lists: lists.map(operation => listView(operation, emission.document)),
    byResource: withResource(lists).map(operation => listNames(operation, emission.document).fields),
  }
  file.write(render('filters', view, emission.options.templates))
  return file
}

function withResource(lists: readonly Operation[]): readonly Operation[] {
  const named = lists.filter(({ list }) => list?.resource !== undefined)
  return named.toSorted((a, b) => (resourceOf(a) < resourceOf(b) ? -1 : 1))
}

const resourceOf = ({ list }: Operation): string => list?.resource ?? ''

function listView(operation: Operation, document: Document): FilteredList {
  const { list } = operation
  return {
    operation: operation.name,
    name: listNames(operation, document).fields,
    resource: list?.resource === undefined ? '' : quote(list.resource),
    fields: list?.fields.map(fieldOf) ?? [],
    defaultOrder: quote(list?.defaultOrder ?? ''),
    key: quote(list?.key ?? ''),
  }
}

function fieldOf({ name, path, type, values, list, operators, sortable, enumValues }: FilterField): FilteredField {
  return {
    name: quote(name),
    path: path === undefined ? '' : quote(path),
    type: quote(type),
    values: values ? quote(values) : '',
    isList: list,
    operators: texts(operators),
    isSortable: sortable,
    enumValues: enumValues ? texts(enumValues) : '',
  }
}
