import { setTimeout as sleep } from 'node:timers/promises'
import type { VaultClient } from '../../../../output/vault/client.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { Make } from '../../../areas/kill/run-load.ts'
import type { Proof } from './proofs.ts'

/** The dependencies of an actor of the vault. */
export interface VaultActing {
  readonly client: VaultClient
  readonly make: Make
  /** The prefix of the names of all resources that the actor creates. */
  readonly name: string
  readonly workspace: string
  readonly prove: (proof: Proof) => void
}

/** The answer to a call that has no operation: a value or the reason of a refusal. */
export type Answer<T> =
  /** `wasLost` is whether an earlier attempt had no response, and may have had its effect. */
  { readonly wasLost: boolean } & (
    { readonly value: T; readonly refused?: undefined } | { readonly value?: undefined; readonly refused: string }
  )

/** Makes a call that has no operation, and repeats the call until a server responds. */
export async function answered<T>(run: () => Promise<T>): Promise<Answer<T>> {
  for (let wasLost = false; ; wasLost = true) {
    try {
      return { wasLost, value: await run() }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.rpc !== 'UNAVAILABLE') return { wasLost, refused: error.reason ?? error.message }
      await sleep(50)
    }
  }
}
