import { VaultClient } from '../../../../output/vault/client.ts'
import { runLoad, type Load } from '../../../areas/kill/run-load.ts'
import { CertificateActor } from './certificate-actor.ts'

/** The JSON argument of the program. */
export interface CertificateLoad extends Load {
  readonly workspace: string
  readonly authority: string
}

/** This program runs clients that issue and revoke certificates of one authority, until its standard input ends. */

const [text = ''] = process.argv.slice(2)
const load: CertificateLoad = JSON.parse(text)
const { authority, workspace } = load

await runLoad(
  load,
  ({ make, name, transport }) =>
    new CertificateActor({ client: new VaultClient(transport), make, name, workspace, authority }),
)
