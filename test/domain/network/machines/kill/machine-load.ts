import { ComputeClient } from '../../../../../output/compute/client.ts'
import { runLoad, type Load } from '../../../../areas/kill/run-load.ts'
import { MachineActor } from './machine-actor.ts'

/** The JSON argument of the program. */
export interface MachineLoad extends Load {
  readonly workspace: string
  readonly subnets: readonly string[]
}

/**
 * This program runs clients that create, start, stop and delete machines of one workspace, until its standard input
 * ends.
 */

const [text = ''] = process.argv.slice(2)
const load: MachineLoad = JSON.parse(text)
const { subnets, workspace } = load

await runLoad(
  load,
  ({ make, name, transport }) =>
    new MachineActor({ client: new ComputeClient(transport), make, name, workspace, subnets }),
)
