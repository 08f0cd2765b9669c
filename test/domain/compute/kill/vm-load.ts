import { ComputeClient } from '../../../../output/compute/client.ts'
import { runLoad, type Load } from '../../../areas/kill/run-load.ts'
import { VmActor } from './vm-actor.ts'

/** The JSON input of the program. */
export interface VmLoad extends Load {
  readonly workspace: string
  readonly subnets: readonly string[]
}

/** The program of a client process: runs the actors of a `VmLoad` until the standard input ends. */
const [text = ''] = process.argv.slice(2)
const load: VmLoad = JSON.parse(text)
const { subnets, workspace } = load

await runLoad(
  load,
  ({ make, name, transport }) => new VmActor({ client: new ComputeClient(transport), make, name, workspace, subnets }),
)
