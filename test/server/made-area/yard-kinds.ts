import type { Collection } from '../../../domain/ports/store.ts'
import { defineKind, type MakeError, type Resource } from '../../../domain/resources/kind.ts'
import { ApiError, type RpcCode, type ErrorDomain } from '../../../runtime/errors.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
/**
 * The error domain of the yard, a handwritten area that uses every member of a declaration: racks, boxes on racks, and
 * tags of boxes.
 */
export const yard: ErrorDomain = { name: 'yard', base: 5_000_000 }

/** A rack, to which boxes refer. */
export interface Rack extends Resource {
  readonly workspace_id: string
  readonly engine: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** A box on a rack. */
export interface Box extends Rack {
  readonly rack_id: string
  readonly state: string
}

/** A tag of a box; the box is the parent in paths. */
export interface Tag extends Rack {
  readonly box_id: string
}

/** The record of an event; notes are a collection without a kind. */
export interface Note {
  /** The id: the name of the event and the id of its subject, `<event>/<subject>`. */
  readonly id: string
  readonly workspace_id: string
}

export const namesList: ListFields = {
  fields: [{ name: 'name', type: 'STRING', operators: ['=', ':'], sortable: true }],
  defaultOrder: 'name',
  key: 'id',
}

const raise =
  (reason: string, rpc: RpcCode): MakeError =>
  (message, details) =>
    new ApiError({ reason, rpc }, message, {}, details)

/** Returns the common members of the tables of racks, boxes and tags. */
const tableOf = (name: string): Omit<Collection<Rack>, 'columns'> => ({
  name: `yard_${name}`,
  id: 'id',
  list: namesList,
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: () =>
        raise('NAME_TAKEN', 'ALREADY_EXISTS')('the name is taken', { resource: { type: 'yard', name: 'taken' } }),
    },
  ],
})

const columns = { workspace_id: 'STRING', engine: 'STRING' } as const

export const racks: Collection<Rack> = { columns, ...tableOf('racks') }
export const boxes: Collection<Box> = {
  columns: { ...columns, rack_id: 'STRING', state: 'STRING' },
  ...tableOf('boxes'),
}
export const tags: Collection<Tag> = { columns: { ...columns, box_id: 'STRING' }, ...tableOf('tags') }
export const notes: Collection<Note> = { name: 'yard_notes', id: 'id', columns: { workspace_id: 'STRING' } }

const fields = { name: { behavior: 'immutable' }, labels: { default: {} } } as const

export const rackKind = defineKind({
  type: 'yard.racks',
  noun: 'rack',
  collection: racks,
  notFound: raise('RACK_NOT_FOUND', 'NOT_FOUND'),
  inUse: raise('RACK_IN_USE', 'FAILED_PRECONDITION'),
})

export const boxKind = defineKind({
  type: 'yard.boxes',
  noun: 'box',
  collection: boxes,
  fields,
  notFound: raise('BOX_NOT_FOUND', 'NOT_FOUND'),
  references: [{ member: 'rack_id', target: rackKind, absent: raise('RACK_NOT_FOUND', 'INVALID_ARGUMENT') }],
  states: {
    member: 'state',
    transitions: {
      seal: { type: 'SEAL', from: ['OPEN'], to: 'SEALING' },
      update: { type: 'UPDATE', from: ['OPEN', 'SEALED'] },
      shake: { type: 'SHAKE', from: ['OPEN', 'SEALED'] },
    },
    invalid: (message, { allowed, current }, details) =>
      new ApiError({ reason: 'BOX_STATE_INVALID', rpc: 'FAILED_PRECONDITION' }, message, { allowed, current }, details),
  },
})

export const tagKind = defineKind({
  type: 'yard.tags',
  noun: 'tag',
  collection: tags,
  notFound: raise('TAG_NOT_FOUND', 'NOT_FOUND'),
  parent: { member: 'box_id', parameter: 'box', kind: boxKind },
  isHolding: false,
})
