import type { Ninefold } from '../../../output/client.ts'
import type { RandomKind } from '../../areas/random-mutations.ts'
import { base64, engine, redeemedText } from './capsules/tenant-capsules.ts'

/** Returns capsules that are redeemed, revoked or guessed at random; each is redeemed at most once, with its text. */
export function randomCapsules(api: Ninefold, anyone: Ninefold, workspace: string): RandomKind {
  const at = { workspace, engine }
  let count = 0
  return {
    name: 'capsule',
    refusals: [
      'CAPSULE_NOT_ACTIVE',
      'CAPSULE_PASSPHRASE_INVALID',
      'CAPSULE_TOKEN_INVALID',
      'CAPSULE_THROTTLED',
      'FIELD_INVALID',
    ],
    async create(random) {
      const text = `text ${(count += 1)}`
      const passphrase = random.percent(10) ? { passphrase: 'quiet harbour', max_attempts: 2 } : {}
      const payload = { data: random.percent(5) ? '' : base64(text) }
      const { credential, resource_id: id } = await api.vault.createCapsule({ ...at, body: { payload, ...passphrase } })
      const capsule = { id, token: credential?.token ?? '' }
      let isOver = false
      const end = (call: () => Promise<unknown>) => async () => {
        await call()
        if (isOver) throw new Error(`capsule ${id} ended twice`)
        isOver = true
      }
      const redeem = end(async () => {
        const found = await redeemedText(anyone, capsule, 'quiet harbour')
        if (found !== text) throw new Error(`capsule ${id} held "${found}" and not "${text}"`)
      })
      return {
        update: each =>
          each.percent(40) ? redeemedText(anyone, capsule, 'wrong harbour').then(throwIf(passphrase, end)) : redeem(),
        delete: each => (each.percent(50) ? end(() => api.vault.revokeCapsule({ ...at, id, body: {} }))() : redeem()),
      }
    },
  }
}

/** Returns the end of a redemption with a wrong passphrase, which only a capsule without a passphrase allows. */
function throwIf(given: object, end: (call: () => Promise<unknown>) => () => Promise<void>): () => Promise<void> {
  if (!('passphrase' in given)) return end(async () => {})
  return async () => {
    throw new Error('a wrong passphrase has opened a capsule')
  }
}
