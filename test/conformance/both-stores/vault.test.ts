import type { Existing } from '../../../generator/conform/subject.ts'
import { proveDocument } from '../documented.ts'
import type { Arranged } from '../existing.ts'

let count = 0

/** Makes a secret with a version in a new workspace; returns the path parameters of the version. */
const withVersion: Arranged[string] = async (run): Promise<Existing> => {
  const name = `made-${(count += 1)}`
  const organisation = await run('/taxonomy/v1/organisations', { name })
  const workspace = await run(`/taxonomy/v1/organisations/${organisation}/workspaces`, { name })
  const secrets = `/vault/v1/workspaces/${workspace}/engines/native/secrets`
  const secret = await run(secrets, { name })
  await run(`${secrets}/${secret}:addVersion`, { payload: { data: 'czNjcjN0LXYx' } })
  return { path: { workspace, engine: 'native', secret, id: '1' } }
}

/** The members of a secret that the example of the document does not fit: the versions of its aliases do not exist. */
const secret = () => ({ version_aliases: {} })

await proveDocument(
  'vault',
  { createSecret: secret, updateSecret: secret },
  {
    getSecretVersion: withVersion,
    disableSecretVersion: withVersion,
    destroySecretVersion: withVersion,
  },
)
