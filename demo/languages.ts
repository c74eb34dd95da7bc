import { arabic } from './headlines/arabic.ts'
import { chinese } from './headlines/chinese.ts'
import { english } from './headlines/english.ts'
import { french } from './headlines/french.ts'
import { german } from './headlines/german.ts'
import { hindi } from './headlines/hindi.ts'
import { japanese } from './headlines/japanese.ts'
import type { LanguagePack } from './headlines/pack.ts'
import { portuguese } from './headlines/portuguese.ts'
import { russian } from './headlines/russian.ts'
import { spanish } from './headlines/spanish.ts'

const packs = [arabic, chinese, english, french, german, hindi, japanese, portuguese, russian, spanish]

export function languagePack(language: string): LanguagePack {
  const pack = packs.find((candidate) => candidate.language === language)
  if (pack === undefined) throw new Error(`No headlines are written in the language "${language}".`)
  return pack
}
