import { StorageClient } from '../../../../output/storage/client.ts'
import { runLoad, type Acting, type Load, type Steps } from '../../../areas/kill/run-load.ts'
import { dataCalls } from './data-calls.ts'
import { ObjectActor } from './object-actor.ts'

/** The JSON argument of the program. */
export interface StorageLoad extends Load {
  readonly workspace: string
  /** The ids of the buckets in which the clients change objects. */
  readonly buckets: readonly string[]
  /** The file to which clients add a line for each answer that contradicts an earlier answer. */
  readonly faults: string
}

/** This program runs clients that change the objects of some buckets, until its standard input ends. */

const [text = ''] = process.argv.slice(2)
const { addresses, buckets, faults, workspace, ...load }: StorageLoad = JSON.parse(text)

const objectActor = ({ make, name, transport }: Acting): Steps =>
  new ObjectActor({
    client: new StorageClient(transport),
    data: dataCalls(addresses),
    make,
    name,
    at: { workspace, engine: 'native' },
    buckets,
    faults,
  })

await runLoad({ ...load, addresses }, objectActor)
