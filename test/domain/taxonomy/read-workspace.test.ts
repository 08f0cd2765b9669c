import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Asked } from '../../../domain/ports/access.ts'
import { taxonomyScopes } from '../../../domain/taxonomy/access-scopes.ts'
import { workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { JsonText } from '../../../runtime/json.ts'
import { storedTree } from '../../bench/measuring/tree-platform.ts'
import { callContext } from '../../call-context.ts'
import { memoryFolder } from '../../memory-folder.ts'
import { testStoreUrl } from '../../server/store/harness.ts'
import { afterTests } from '../../undo.ts'

const folder = await mkdtemp(join(memoryFolder, 'ninefold-read-'))
const { storeUrl = join(folder, 'ninefold.sqlite') } = await testStoreUrl(afterTests)
const tree = await storedTree(storeUrl, { groups: 3, workspaces: 1 })
afterTests(async () => {
  await tree.close()
  await rm(folder, { recursive: true })
})
const { call, groups, handlers, organisation, store } = tree
const base = `/taxonomy/v1/organisations/${organisation}/workspaces`

async function made(name: string): Promise<string> {
  const { resource_id }: { readonly resource_id: string } = JSON.parse(
    await call('POST', base, { name, parent_group_id: groups[0] }),
  )
  return resource_id
}

/** Returns the scope at which a read of a workspace is authorized. */
async function asked(id: string, context: CallContext): Promise<Asked> {
  const scopeOf = taxonomyScopes['getWorkspace']
  if (typeof scopeOf !== 'function') throw new Error('getWorkspace is authorized by its handler')
  const named = new Map([
    ['organisation', organisation],
    ['id', id],
  ])
  return scopeOf(store, { path: { get: name => named.get(name) }, context })
}

async function answered(id: string, context: CallContext) {
  const answer = await handlers.workspaces.getWorkspace({ organisation, id }, context)
  const workspace: { readonly display_name: string; readonly ancestors: readonly { readonly id: string }[] } =
    answer instanceof JsonText ? JSON.parse(answer.text) : answer
  const { ancestors, display_name } = workspace
  return { name: display_name, above: ancestors.map(({ id: above }) => above) }
}

async function renamed(id: string, display_name: string): Promise<void> {
  await store.tx(async tx => {
    const stored = await tx.get(workspaces, id)
    if (stored) await tx.update(workspaces, id, { ...stored.value, display_name }, stored.version)
  })
}

describe('a call that reads a workspace', () => {
  it('returns the row that the door has read', async () => {
    const id = await made('decided')
    await renamed(id, 'before')
    const { handedOn, ...where } = await asked(id, callContext())
    expect(where).toEqual({ scope: { type: 'WORKSPACE', id }, told: { type: 'ORGANISATION', id: organisation } })
    await renamed(id, 'after')
    expect((await answered(id, { ...callContext(), handedOn })).name).toBe('before')
    expect((await answered(id, callContext())).name).toBe('after')
  })

  it('returns the present tree if the tree has changed since the decision', async () => {
    const id = await made('moved')
    expect((await answered(id, callContext())).above).toEqual([organisation, groups[0]])
    const { handedOn } = await asked(id, callContext())
    await call('POST', `${base}/${id}:move`, { parent_group_id: groups[1] })
    // This read brings the new tree into the cache.
    await answered(id, callContext())
    const context = { ...callContext(), handedOn }
    expect((await answered(id, context)).above).toEqual([organisation, groups[0], groups[1]])
  })

  it('is refused at the organisation if the id is not one of its workspaces', async () => {
    const other = groups[0] ?? ''
    for (const id of [other, 'no-id', organisation]) {
      const context = callContext()
      const scope = { type: 'ORGANISATION', id: organisation }
      expect(await asked(id, context)).toEqual({ scope, told: scope })
      await expect(answered(id, context)).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_FOUND' })
    }
  })

  it('is refused if the workspace belongs to another organisation', async () => {
    const foreign = '00000000-0000-7000-8000-000000000003'
    expect(await store.get(workspaces, foreign)).toBeDefined()
    const context = callContext()
    const scope = { type: 'ORGANISATION', id: organisation }
    expect(await asked(foreign, context)).toEqual({ scope, told: scope })
    await expect(answered(foreign, context)).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_FOUND' })
  })
})
