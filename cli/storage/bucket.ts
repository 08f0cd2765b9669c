import { StorageClient } from '../../output/storage/client.ts'
import { listObjects } from '../../output/storage/routes.ts'
import type { ObjectMetadata, ObjectSchema } from '../../output/storage/types.ts'
import { TaxonomyClient } from '../../output/taxonomy/client.ts'
import { answerInvalid } from '../../runtime/errors.ts'
import { isUuid } from '../../runtime/formats.ts'
import { iteratePages } from '../../runtime/iterate.ts'
import type { Transport } from '../../runtime/transport.ts'
import { CommandError } from '../exit-codes.ts'
import { connect } from '../kept-session.ts'
import { sessionFile } from '../sessions.ts'
import { persistentTransport } from './persistence.ts'

/** The options that all commands of the storage have. */
export interface PlaceFlags {
  readonly url?: string
  /** The id of a workspace, or its name behind that of its organisation: `acme/production`. */
  readonly workspace?: string
  readonly engine: string
}

/** The engine of a workspace to which a command is connected. */
export interface Connected {
  readonly api: StorageClient
  readonly transport: Transport
  readonly at: { readonly workspace: string; readonly engine: string }
}

/** A bucket of a connected engine. */
export interface OpenBucket {
  readonly api: StorageClient
  readonly transport: Transport
  /** The path of the bucket, as its calls take it. */
  readonly at: { readonly workspace: string; readonly engine: string; readonly bucket: string }
}

/** Connects to the server, and finds the workspace. */
export async function connected({ engine, url, workspace }: PlaceFlags): Promise<Connected> {
  const named = workspace ?? process.env['NINEFOLD_WORKSPACE']
  if (named === undefined || named === '')
    throw new CommandError('name the workspace with --workspace, or in the variable NINEFOLD_WORKSPACE')
  // Clients refuse to write these names as a step of a path.
  if (/^\.{0,2}$/.test(engine)) throw new CommandError('name an engine with --engine, such as native')
  const transport = persistentTransport(await connect(sessionFile(), url))
  const id = isUuid(named) ? named : await workspaceOf(new TaxonomyClient(transport), named)
  return { api: new StorageClient(transport), transport, at: { workspace: id, engine } }
}

/** Returns the id of the workspace that a word such as `acme/production` names. */
async function workspaceOf(taxonomy: TaxonomyClient, word: string): Promise<string> {
  const [organisation = '', name, ...others] = word.split('/')
  if (name === undefined || others.length > 0)
    throw new CommandError(`${word} names no workspace: write its id, or ORGANISATION/WORKSPACE`)
  const { organisations } = await taxonomy.listOrganisations({ filter: `name = ${quoted(organisation)}` })
  const [owner] = requireRows(organisations)
  if (owner === undefined) throw new CommandError(`there is no organisation named ${organisation} that you may see`)
  const { workspaces } = await taxonomy.listWorkspaces({ organisation: owner.id, filter: `name = ${quoted(name)}` })
  const [found] = requireRows(workspaces)
  if (found === undefined) throw new CommandError(`there is no workspace named ${word} that you may see`)
  return found.id
}

/** Finds a bucket by its name or its id. */
export async function openBucket({ api, at, transport }: Connected, bucket: string): Promise<OpenBucket> {
  if (isUuid(bucket)) return { api, transport, at: { ...at, bucket } }
  const { buckets } = await api.listBuckets({ ...at, filter: `name = ${quoted(bucket)}` })
  const [found] = requireRows(buckets)
  if (found === undefined) throw new CommandError(`there is no bucket named ${bucket} in the engine ${at.engine}`)
  return { api, transport, at: { ...at, bucket: found.id } }
}

/** Iterates over the latest versions of the objects whose names begin with `prefix`. */
export async function* objectsOf({ at, transport }: OpenBucket, prefix: string): AsyncGenerator<ObjectSchema> {
  for await (const { objects } of iteratePages(transport, listObjects, { ...at, prefix, page_size: 100 }))
    for (const object of requireRows(objects)) yield sound(object)
}

/**
 * Iterates over the objects of a place to be copied. Throws `CommandError` for a place without objects, such as a mistyped
 * one; a whole bucket may be empty.
 */
export async function* objectsBelow(bucket: OpenBucket, prefix: string): AsyncGenerator<ObjectSchema> {
  let isEmpty = true
  for await (const object of objectsOf(bucket, prefix)) {
    isEmpty = false
    yield object
  }
  if (isEmpty && prefix !== '') throw new CommandError(`no object has a name that begins with ${prefix}`, 1)
}

/** Reads the latest version of an object. */
export const objectAt = async ({ api, at }: OpenBucket, object: string): Promise<ObjectSchema> =>
  sound(await api.getObject({ ...at, object }))

/** Reads the metadata of the latest version of an object. */
export const metadataAt = async ({ api, at }: OpenBucket, object: string): Promise<ObjectMetadata> =>
  sound(await api.getObjectMetadata({ ...at, object }))

/** Returns an object. Throws ANSWER_INVALID for an object whose size is no number of bytes. */
function sound<Sized extends { readonly size: number }>(object: Sized): Sized {
  if (Number.isSafeInteger(object.size) && object.size >= 0) return object
  throw answerInvalid('the server answers an object without a size')
}

/** Returns the rows of an answer. Throws ANSWER_INVALID for an answer without a list, such as that of another program. */
export function requireRows<Row>(rows: readonly Row[] | undefined): readonly Row[] {
  if (Array.isArray(rows)) return rows
  throw answerInvalid('the server answers a list without rows')
}

/** Returns a text as a literal of filters. */
export const quoted = (text: string): string => JSON.stringify(text)
