import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { StorePlace } from '../../../server/platform-store.ts'
import { schemaOf } from '../../server/store/harness.ts'

/** Returns the forms in which a payload may be written: as it is, escaped in JSON, in base64 and in hexadecimal. */
export function formsOf(payload: string): readonly string[] {
  const bytes = Buffer.from(payload)
  return [
    payload,
    JSON.stringify(payload).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
}

/** Returns all bytes of the files of a data folder as text, and all rows of a database. */
export async function storedBy({ dataDir, storeUrl }: StorePlace): Promise<string> {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map(name => join(dataDir, name))
  const texts = files.filter(file => statSync(file).isFile()).map(file => readFileSync(file, 'latin1'))
  return [...texts, ...(storeUrl === undefined ? [] : await rowsOf(storeUrl))].join('\n')
}

async function rowsOf(storeUrl: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: storeUrl })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>({
      text: 'SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = $1',
      values: [schemaOf(storeUrl)],
    })
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
      texts.push(...rows.map(({ text }) => text))
    }
    return texts
  } finally {
    await client.end()
  }
}
