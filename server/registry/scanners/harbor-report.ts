import type { CvssScore, Scanner, Severity } from '../../../output/registry/types.ts'
import { parseJson } from '../../../runtime/json.ts'
import { own, isRecord } from '../../../runtime/validation.ts'
import type { Finding } from '../../../domain/registry/scanning/advisories.ts'
import { ScannerFault } from '../../../domain/registry/scanning/external-scanner.ts'
import { isDigest } from '../../../domain/registry/values/digest.ts'
import { maxDepth, noObject, reportParts } from './report-parts.ts'

/** The most findings of a report, and the longest texts and lists of a finding. */
const mostFindings = 20_000
const longestText = 2000
const mostLinks = 50
const mostFixes = 20

/** The severities of Harbor's Scanner Adapter API, in the words of the platform. */
const severities: ReadonlyMap<string, Severity> = new Map([
  ['None', 'REGISTRY_SEVERITY_NONE'],
  ['Negligible', 'REGISTRY_SEVERITY_LOW'],
  ['Low', 'REGISTRY_SEVERITY_LOW'],
  ['Medium', 'REGISTRY_SEVERITY_MEDIUM'],
  ['High', 'REGISTRY_SEVERITY_HIGH'],
  ['Critical', 'REGISTRY_SEVERITY_CRITICAL'],
])

/** The members of an object in JSON. */
type Members = Readonly<Record<string, unknown>>

/**
 * Yields the findings of a report of the type `application/vnd.security.vulnerability.report; version=1.1` in UTF-8, and
 * returns the version of the scanner; empty if the report does not say it. A report without findings has an empty list or
 * null, as Go writes it. Throws a `ScannerFault` for another form.
 */
export function* findingsIn(bytes: Uint8Array): Generator<Finding, string> {
  let version = ''
  let count = 0
  let hasList = false
  for (const { isItem, member, value } of reportParts(bytes, 'vulnerabilities')) {
    if (member === 'scanner' && isRecord(value)) version = textOf(value, 'version')
    if (member !== 'vulnerabilities') continue
    if (!isItem) hasList = value === null || Array.isArray(value)
    if (!hasList) throw noList()
    if (!isItem) continue
    count += 1
    if (count > mostFindings)
      throw new ScannerFault(`the report of the scanner has more than ${mostFindings} vulnerabilities`)
    yield findingOf(value)
  }
  if (!hasList) throw noList()
  return version
}

const noList = (): ScannerFault => new ScannerFault('the report of the scanner has no list of vulnerabilities')

/**
 * Returns the scanner of the metadata of an adapter, with the name of the settings and the time of its database if it
 * tells. Throws a `ScannerFault` for another form, and for an adapter that does not make such reports.
 */
export function parseMetadata(text: string, name: string, reportType: string): Scanner {
  const metadata = parsed(text)
  const capabilities = own(metadata, 'capabilities')
  const types = Array.isArray(capabilities)
    ? capabilities.filter(isRecord).flatMap(each => textsOf(each, 'produces_mime_types'))
    : []
  if (!types.some(type => plain(type) === plain(reportType)))
    throw new ScannerFault(`the scanner does not make reports of the type ${reportType}`)
  const updated = textOf(memberOf(metadata, 'properties'), 'harbor.scanner-adapter/vulnerability-database-updated-at')
  const time = Date.parse(updated)
  return {
    name,
    version: textOf(memberOf(metadata, 'scanner'), 'version'),
    database_version: '',
    ...(Number.isFinite(time) && { database_time: new Date(time).toISOString() }),
  }
}

const plain = (type: string): string => type.replaceAll(/["\s]/g, '').toLowerCase()

function parsed(text: string): Members {
  try {
    const value = parseJson(text, maxDepth)
    if (isRecord(value)) return value
  } catch {
    // The fault below says all that there is to say.
  }
  throw noObject()
}

function findingOf(value: unknown): Finding {
  const given = isRecord(value) ? value : {}
  const [id, name] = [textOf(given, 'id'), textOf(given, 'package')]
  if (id === '' || name === '')
    throw new ScannerFault('the report of the scanner has a vulnerability without an id or a package')
  const fix = textOf(given, 'fix_version')
  const cvss = scoresOf(memberOf(given, 'preferred_cvss'))
  return {
    id,
    aliases: [],
    severity: severities.get(textOf(given, 'severity')) ?? severityOf(cvss),
    cvss,
    package: {
      name,
      version: textOf(given, 'version'),
      ecosystem: '',
      purl: '',
      path: '',
      layer_digest: layerOf(memberOf(given, 'layer')),
    },
    fixed_versions: fix
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '')
      .slice(0, mostFixes),
    summary: textOf(given, 'description'),
    references: textsOf(given, 'links').filter(isLink).slice(0, mostLinks),
  }
}

function layerOf(layer: Members): string {
  const digest = textOf(layer, 'digest')
  return isDigest(digest) ? digest : ''
}

function scoresOf(cvss: Members): CvssScore[] {
  const score = own(cvss, 'score_v3')
  const vector = textOf(cvss, 'vector_v3')
  if (typeof score !== 'number' || !(score >= 0 && score <= 10)) return []
  return [{ version: /^CVSS:(3\.[01])\//.exec(vector)?.[1] ?? '3.0', vector, score }]
}

/** Returns the severity of a score by the bands of FIRST. */
function severityOf([first]: readonly CvssScore[]): Severity {
  if (!first) return 'REGISTRY_SEVERITY_UNKNOWN'
  const { score } = first
  if (score === 0) return 'REGISTRY_SEVERITY_NONE'
  if (score < 4) return 'REGISTRY_SEVERITY_LOW'
  if (score < 7) return 'REGISTRY_SEVERITY_MEDIUM'
  return score < 9 ? 'REGISTRY_SEVERITY_HIGH' : 'REGISTRY_SEVERITY_CRITICAL'
}

function memberOf(value: Members, name: string): Members {
  const member = own(value, name)
  return isRecord(member) ? member : {}
}

/** Returns a text member, cut to its longest form and without characters that no store keeps; empty for another value. */
function textOf(value: Members, name: string): string {
  const member = own(value, name)
  return typeof member === 'string' ? storable(member) : ''
}

function textsOf(value: Members, name: string): string[] {
  const member = own(value, name)
  if (!Array.isArray(member)) return []
  return member.filter(each => typeof each === 'string').map(storable)
}

const isLink = (text: string): boolean => /^https?:\/\/./i.test(text)

const storable = (text: string): string => text.slice(0, longestText).toWellFormed().replaceAll('\0', '')
