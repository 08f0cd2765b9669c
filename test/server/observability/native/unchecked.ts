/**
 * Returns a chunk or a part in the form of version 1, which has no checksum: a chunk has the number of its samples in the
 * place of the checksum, and a part has 0.
 */
export function unchecked(bytes: Uint8Array): Uint8Array {
  const older = Uint8Array.from(bytes)
  const [version, samplesOfChunk = 0] = [bytes[0], bytes[3]]
  if (version !== 2) throw new Error('the bytes are not of version 2')
  older[0] = 1
  older[3] = 0
  // A part has the number of series at 4 and the checksum at 12; the last byte of its version is 0.
  if (samplesOfChunk > 0) new Uint32Array(older.buffer, 4, 1)[0] = samplesOfChunk
  else new Uint32Array(older.buffer, 12, 1)[0] = 0
  return older
}
