/** Counts tokens with the vocabulary o200k_base, from which other tokenizers differ by tens of per cent. */
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { answerText } from './plain-text.ts'

/** Words of several tokens that are remembered; the library's own number takes 20 MB. */
setMergeCacheSize(5_000)

/** Names of special tokens in a text are text. */
const options = { disallowedSpecial: new Set<string>() }

/** The time for one word grows with the square of its length. Such words are split, which adds a token each. */
const mostInWord = 200
const words = ['[^!-/:-@[-`{-~\\s]', '[!-/:-@[-`{-~]', '\\s']
const longWords = new RegExp(words.map((one) => `(?<!${one})${one}{${mostInWord},}`).join('|'), 'g')
const piece = new RegExp(`[^]{1,${mostInWord}}`, 'g')

export function tokensOf(text: string): number {
  const split = text.replaceAll(longWords, (word) => {
    return (word.match(piece) ?? []).join(word.trim() === '' ? '.' : ' ')
  })
  return countTokens(split, options)
}

export function tokensOfJson(value: unknown): number {
  return tokensOf(answerText(value))
}

/** Whether the value takes at most so many tokens; short ones are not counted, because a token has at least a byte. */
export function isWithin(value: unknown, tokens: number): boolean {
  const text = answerText(value)
  return Buffer.byteLength(text) <= tokens || tokensOf(text) <= tokens
}
