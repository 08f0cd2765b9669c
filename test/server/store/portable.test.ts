import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from 'ts-morph'
import { expect, it } from 'vitest'
import { root } from '../../../scripts/project.ts'

/** Features that CockroachDB, YugabyteDB or Citus lack, or implement otherwise (conventions §16). */
const forbidden =
  /\b(?:LISTEN|UNLISTEN|NOTIFY|pg_notify|pg_\w*advisory\w*|SKIP\s+LOCKED|NOWAIT|DEFERRABLE|DEFERRED|INITIALLY|SERIAL|BIGSERIAL|SEQUENCE|nextval|currval|IDENTITY|GENERATED|TRIGGER|LANGUAGE|EXTENSION|ctid|xmin)\b/i

/**
 * Returns the string literals of a source file and the literal parts of its templates. Values that a template inserts,
 * such as table names, are left out.
 */
function textsOf(file: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  return found
}

const folder = join(root, 'server')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))

it('every SQL text is composed of the texts of these files, and none uses a feature that only PostgreSQL has', () => {
  // Queries of SQLite's own tables never run on PostgreSQL.
  const texts = files.flatMap(file => textsOf(join(folder, file))).filter(text => !text.includes('sqlite_'))
  expect(texts.filter(text => /\bSELECT\b/.test(text)).length).toBeGreaterThan(15)
  expect(texts.filter(text => text.includes(' FOR UPDATE')).length).toBeGreaterThan(1)
  expect(texts.filter(text => forbidden.test(text) && /[A-Z]{3}|_/.test(text))).toEqual([])
})

it.each(['SELECT 1 FOR UPDATE SKIP LOCKED', 'LISTEN jobs', 'SELECT pg_try_advisory_xact_lock(1)', 'id BIGSERIAL'])(
  '%s is found',
  sql => expect(sql).toMatch(forbidden),
)
