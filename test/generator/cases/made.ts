import { generation, newFolder, removeFolder, writeFiles } from '../generation.ts'

/** Generates a document that is given as an object; returns the messages. */
export async function generationOf(document: object): Promise<readonly string[]> {
  const folder = newFolder()
  writeFiles(folder, new Map([['made.json', JSON.stringify(document)]]))
  try {
    return (await generation(['made.json'], folder)).printed
  } finally {
    removeFolder(folder)
  }
}
