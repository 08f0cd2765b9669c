import type { Ninefold } from '../../../../output/client.ts'
import type { CapsuleInput } from '../../../../output/vault/types.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore, type StorePlace } from '../../../../server/platform-store.ts'
import type { Store } from '../../../../domain/ports/store.ts'
import { capsuleCollection } from '../../../../domain/vault/capsules/capsules-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import { addTenant, type Member } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform, type TestPlatformOptions } from '../../../areas/test-platform.ts'

/** The engine of all capsules. */
export const engine = 'native'

/** Returns the base64 of a text. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A new capsule: its id, and the token of its first answer. */
export interface MadeCapsule {
  readonly id: string
  readonly token: string
}

/** A platform with a workspace, and the calls of capsules in the workspace. */
export interface TenantCapsules {
  readonly platform: TestPlatform
  readonly admin: Member
  readonly organisation: string
  readonly workspace: string
  /** The members of a path to the workspace. */
  readonly at: { readonly workspace: string; readonly engine: string }
  /** A client without a token. */
  readonly anyone: Ninefold
  /** Creates a capsule that holds a text. */
  create(text: string, more?: Partial<CapsuleInput>): Promise<MadeCapsule>
  /** Redeems a capsule without a token of a session, and returns the text. */
  redeem(capsule: MadeCapsule, passphrase?: string): Promise<string>
}

/** Starts a platform with a workspace. */
export async function tenantCapsules(options: TestPlatformOptions = {}): Promise<TenantCapsules> {
  const platform = await testPlatform(options)
  const admin = await platform.admin()
  const { organisation, workspace } = await addTenant(admin.api, 'acme')
  const at = { workspace, engine }
  const anyone = platform.as()
  return {
    platform,
    admin,
    organisation,
    workspace,
    at,
    anyone,
    async create(text, more = {}) {
      const body = { payload: { data: base64(text) }, ...more }
      const { credential, resource_id: id } = await admin.api.vault.createCapsule({ ...at, body })
      return { id, token: credential?.token ?? '' }
    },
    redeem: ({ id, token }, passphrase) => redeemedText(anyone, { id, token }, passphrase),
  }
}

/** Redeems a capsule as a caller, and returns the text. */
export async function redeemedText(api: Ninefold, { id, token }: MadeCapsule, passphrase?: string): Promise<string> {
  const body = { token, ...(passphrase !== undefined && { passphrase }) }
  const { payload } = await api.vault.redeemCapsule({ id, body })
  return Buffer.from(payload.data, 'base64').toString()
}

/** Runs a function on the store of a platform, as another process would. */
export async function inStore<R>(place: StorePlace, use: (store: Store) => Promise<R>): Promise<R> {
  const store = await openStore(place, areas)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** Sets the expiry of a capsule in the store; `hasWork` is whether the worker of the vault learns of the new time. */
export const setExpiry = (place: StorePlace, id: string, time: string, hasWork: boolean): Promise<void> =>
  inStore(place, store =>
    store.tx(async tx => {
      const capsule = await tx.lock(capsuleCollection, id)
      const entry = await tx.lock(agenda, `capsules.expire/${id}`)
      if (!capsule || !entry) throw new Error(`the capsule ${id} is absent`)
      await tx.update(capsuleCollection, id, { ...capsule.value, expire_time: time }, capsule.version)
      if (hasWork) await tx.update(agenda, entry.id, { ...entry.value, due_time: time }, entry.version)
    }),
  )
