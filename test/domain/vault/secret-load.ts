import { VaultClient } from '../../../output/vault/client.ts'
import { runLoad, type Load } from '../../areas/kill/run-load.ts'
import { SecretActor } from './secret-actor.ts'

/** The JSON argument of the program. */
export interface SecretLoad extends Load {
  readonly workspace: string
}

/** This program runs clients that change the secrets of one workspace, until its standard input ends. */

const [text = ''] = process.argv.slice(2)
const load: SecretLoad = JSON.parse(text)
const { workspace } = load

await runLoad(
  load,
  ({ make, name, transport }) => new SecretActor({ client: new VaultClient(transport), make, name, workspace }),
)
