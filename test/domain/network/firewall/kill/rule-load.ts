import { NetworkClient } from '../../../../../output/network/client.ts'
import { runLoad, type Load } from '../../../../areas/kill/run-load.ts'
import { RuleActor } from './rule-actor.ts'

/** The JSON argument of the program. */
export interface RuleLoad extends Load {
  readonly workspace: string
  readonly policy: string
  /** The first of the priorities that only this process uses, 1,000 for each actor. */
  readonly firstPriority: number
}

/** This program runs clients that change rules of one policy, until its standard input ends. */

const [text = ''] = process.argv.slice(2)
const load: RuleLoad = JSON.parse(text)
const { policy, workspace } = load
let actors = 0

await runLoad(load, ({ make, name, transport }) => {
  const firstPriority = load.firstPriority + 1000 * (actors += 1)
  return new RuleActor({ client: new NetworkClient(transport), make, name, workspace, policy, firstPriority })
})
