import { basename } from 'node:path'
import { CommandError } from '../exit-codes.ts'

/** The begin of every name of a place in a bucket. */
const scheme = 'nf://'

/** A place in a bucket: an object, the objects whose names begin with `name`, or the whole bucket if `name` is empty. */
export interface RemotePlace {
  /** The name or the id of the bucket. */
  readonly bucket: string
  readonly name: string
}

/** Returns the place that a word such as `nf://docs/reports/may.pdf` names; undefined for a path of this machine. */
export function remotePlace(word: string): RemotePlace | undefined {
  if (!word.startsWith(scheme)) return undefined
  const [bucket = '', ...segments] = word.slice(scheme.length).split('/')
  if (bucket === '') throw new CommandError(`${word} names no bucket: write ${scheme}BUCKET/NAME`)
  const name = segments.join('/')
  if (name === '.' || name === '..') throw new CommandError(`${word} names no object: no object has the name ${name}`)
  return { bucket, name }
}

/** Returns the place that a word names. Throws `CommandError` for a path of this machine. */
export function requiredRemotePlace(word: string): RemotePlace {
  const place = remotePlace(word)
  if (place) return place
  throw new CommandError(`${word} is no place in a bucket: write ${scheme}BUCKET/NAME`)
}

/** Returns the word that names an object. */
export const wordOf = ({ bucket, name }: RemotePlace): string => `${scheme}${bucket}/${name}`

/** Throws `CommandError` for a name that is a folder, or a whole bucket. */
export function requireObjectName(name: string): void {
  if (name === '' || name.endsWith('/'))
    throw new CommandError('name an object, or copy all objects of the place with --recursive')
}

/** Returns the name of an object that takes the name of its source: in a folder, or as it was named. */
export const nameAt = (name: string, source: string): string =>
  name === '' || name.endsWith('/') ? `${name}${basename(source)}` : name

/** Returns the begin of the names of objects in a folder. */
export const prefixOf = (name: string): string => (name === '' || name.endsWith('/') ? name : `${name}/`)
