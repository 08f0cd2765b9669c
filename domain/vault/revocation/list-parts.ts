import type { Reader, Store, Transaction } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { listCollection, partCollection, partId, type StoredList, type StoredPart } from '../revoked/lists-store.ts'

/** The maximal number of bytes of a list in one row. */
const partBytes = 131_072

/** The time after which parts of an unfinished signature are deleted, in milliseconds. */
const abandonedMs = 3_600_000

/** The number of parts of a signed list. */
export const partCount = (der: Buffer): number => Math.ceil(der.length / partBytes)

/** Returns a part of a signed list. */
export const partOf = (
  der: Buffer,
  index: number,
  { content, id, workspace_id }: StoredList,
  create_time: string,
): StoredPart => ({
  id: partId(content, index),
  certificate_authority_id: id,
  workspace_id,
  content,
  create_time,
  der: der.toString('base64', index * partBytes, (index + 1) * partBytes),
})

/** Stores all parts but the last of a list that is not yet published, each in a transaction of its own. */
export async function storeParts(store: Store, der: Buffer, list: StoredList, create_time: string): Promise<void> {
  for (let index = 0; index < list.parts - 1; index++) {
    await store.tx(tx => tx.insert(partCollection, partOf(der, index, list, create_time)))
    await nextTurn()
  }
}

/** Returns the bytes of a signed list; undefined if a part is absent, such as after a later signature. */
export async function readParts(
  reader: Reader,
  { content, parts }: StoredList,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = []
  for (let index = 0; index < parts; index++) {
    const part = await reader.get(partCollection, partId(content, index))
    if (part === undefined) return undefined
    chunks.push(Buffer.from(part.value.der, 'base64'))
    await nextTurn()
  }
  return Buffer.concat(chunks)
}

/** Deletes the parts of one signature, unless it is the published list. */
export async function deleteParts(store: Store, authority: string, content: string): Promise<void> {
  for await (const { id } of store.each(partCollection, { content })) {
    await store.tx(async tx => {
      const list = await tx.lock(listCollection, authority)
      if (list?.value.content !== content) await deletePart(tx, id)
    })
    await nextTurn()
  }
}

/** Deletes the parts of signatures that a crash has interrupted. */
export async function deleteAbandoned(store: Store, list: StoredList, now: number): Promise<void> {
  const found = new Set<string>()
  for await (const { value } of store.each(partCollection, { certificate_authority_id: list.id }))
    if (value.content !== list.content && Date.parse(value.create_time) < now - abandonedMs) found.add(value.content)
  for (const content of found) await deleteParts(store, list.id, content)
}

async function deletePart(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.get(partCollection, id)
  if (stored) await tx.delete(partCollection, id, stored.version)
}
