import { instanceProvisionFailed } from '../../../output/storage/errors.ts'
import { again, done, failed, type Procedure } from '../../ports/procedures.ts'
import type { StorageEnvironment } from '../environment.ts'
import { minFreeBytes } from './check-instances.ts'
import { checkedInstance, failedInstance } from './instance-state.ts'
import { instanceCollection } from './instances-store.ts'

/** The kind of the work that makes the folder of an instance. */
export const provisioning = 'storage.instantiate'

/** The time after which a server without the content tries again, in milliseconds. */
const laterMs = 1_000

/** Returns the work that takes an instance from PROVISIONING to READY or FAILED. */
export const provision = ({
  clock,
  folders,
  lease,
}: Pick<StorageEnvironment, 'clock' | 'folders' | 'lease'>): Procedure<{ readonly instance: string }> => ({
  kind: provisioning,
  steps: [
    {
      name: 'folder',
      async run({ input: { instance: id }, store }) {
        if (!(await lease.isServing())) return again(laterMs)
        const stored = await store.get(instanceCollection, id)
        // The deletion of the class deletes the instance and its folder.
        if (!stored) return done()
        const check = await folders.provision(id, stored.value.location)
        if (check.kind === 'faulty' && check.reason !== 'DiskFull')
          return failed({ ...instanceProvisionFailed, description: check.message })
        return done(async tx => {
          const now = await tx.lock(instanceCollection, id)
          if (!now) return
          const next = checkedInstance(now.value, check, await minFreeBytes(tx, now.value), clock.now())
          await tx.update(instanceCollection, id, next, now.version)
        })
      },
    },
  ],
  async failed(tx, { input: { instance: id } }, [{ description }]) {
    const stored = await tx.lock(instanceCollection, id)
    if (!stored) return
    await tx.update(instanceCollection, id, failedInstance(stored.value, description, clock.now()), stored.version)
  },
})
