import type { Operation } from '../../generator/model/types.ts'
import { callKey, remember } from '../../server/operations/idempotency.ts'
import { callContext } from '../call-context.ts'
import type { Aim } from './aim.ts'
import { call, pathOf } from './call.ts'
import type { World } from './world.ts'

/** Makes a call, with a used Idempotency-Key if the aim requires it; returns `OK`, or the reason of the error. */
export async function send(world: World, operation: Operation, aim: Aim): Promise<string> {
  const key = aim.hasUsedKey && (await usedKey(world, operation, aim))
  return (await call(world.platform, operation, aim, key)).outcome
}

let keys = 0

/**
 * Records a key as the platform does when the caller uses the key on this path for another request; returns the key.
 */
async function usedKey({ store }: World, operation: Operation, aim: Aim): Promise<string> {
  const { caller, method = operation.method } = aim
  const idempotencyKey = `used-${(keys += 1)}`
  const principal = caller && ({ id: caller.id, kind: 'user' } as const)
  const context = callContext({ idempotencyKey, principal, method, path: pathOf(operation, aim) })
  const known = callKey(context, { another: 'request' })
  if (known === undefined) throw new Error('the call has no key: its caller is anonymous')
  const recorded = { operations: 'taxonomy_operations', operation_id: known.id }
  await store.tx(tx => remember(tx, known, Date.now(), recorded))
  return idempotencyKey
}
