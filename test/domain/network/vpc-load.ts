import { NetworkClient } from '../../../output/network/client.ts'
import { runLoad, type Load } from '../../areas/kill/run-load.ts'
import { VpcActor } from './vpc-actor.ts'

/** The JSON argument of the program. */
export interface VpcLoad extends Load {
  readonly workspace: string
}

/** This program runs clients that change VPCs and quota limits of one workspace, until its standard input ends. */

const [text = ''] = process.argv.slice(2)
const load: VpcLoad = JSON.parse(text)
const { workspace } = load

await runLoad(
  load,
  ({ make, name, transport }) => new VpcActor({ client: new NetworkClient(transport), make, name, workspace }),
)
