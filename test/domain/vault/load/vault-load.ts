import { VaultClient } from '../../../../output/vault/client.ts'
import { runLoad, type Acting, type Load, type Steps } from '../../../areas/kill/run-load.ts'
import { seeded } from '../../../areas/random.ts'
import { CapsuleActor } from './capsule-actor.ts'
import { KeyActor } from './key-actor.ts'
import { addProof } from './proofs.ts'
import { SecretActor } from './secret-actor.ts'

/** The JSON argument of the program. */
export interface VaultLoad extends Load {
  readonly workspace: string
  /** The file of the proofs. */
  readonly proofs: string
}

/** This program runs clients that change the vault of one workspace, until its standard input ends. */

const [text = ''] = process.argv.slice(2)
const load: VaultLoad = JSON.parse(text)
const { proofs, workspace } = load

/** Returns an actor of secrets, keys and capsules in random order. */
function vaultActor({ make, name, transport }: Acting): Steps {
  const client = new VaultClient(transport)
  const acting = (kind: string) => ({
    client,
    make,
    name: `${name}${kind}`,
    workspace,
    prove: addProof.bind(undefined, proofs),
  })
  const actors = [new SecretActor(acting('s')), new KeyActor(acting('k')), new CapsuleActor(acting('c'))]
  const random = seeded(process.pid + performance.now())
  return { step: () => random.oneOf(actors).step() }
}

await runLoad(load, vaultActor)
