import { getOperation } from '../../output/storage/routes.ts'
import { wait } from '../../runtime/operations.ts'
import { CommandError } from '../exit-codes.ts'
import { objectAt, objectsBelow, type OpenBucket } from './bucket.ts'
import { nameAt, prefixOf, requireObjectName } from './places.ts'
import { mapped, type Copying, type Target, type Task, type Tasks } from './task.ts'

/** Returns the copies of an object, or of the objects of a place, to another place. The server copies the bytes. */
export async function copyTasks(
  source: OpenBucket,
  name: string,
  target: Target,
  { flags, progress }: Copying,
): Promise<Tasks> {
  const { api, at, transport } = target.bucket
  const task = (from: string, to: string, size: number): Task => ({
    name: from,
    size,
    run: async () => {
      const body = {
        source_bucket_id: source.at.bucket,
        source_object: from,
        destination_object: to,
        ...(flags.ifAbsent && { if_none_match: '*' as const }),
      }
      await wait(transport, getOperation, await api.copyObject({ ...at, body }))
      progress.moved(size)
      return 'copied'
    },
  })
  if (flags.recursive !== true) {
    requireObjectName(name)
    const { size } = await objectAt(source, name)
    return [task(name, nameAt(target.name, name), size)]
  }
  const [from, to] = [prefixOf(name), prefixOf(target.name)]
  if (source.at.bucket === target.bucket.at.bucket && to.startsWith(from))
    throw new CommandError('a place cannot be copied into itself: name a destination outside of it')
  return mapped(objectsBelow(source, from), ({ name: object, size }) =>
    task(object, `${to}${object.slice(from.length)}`, size),
  )
}
