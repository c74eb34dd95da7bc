/** The outlets: invented names at reserved `.example` domains, in real countries. */
import type { Repository } from './record.ts'

export interface Outlet {
  readonly slug: string
  readonly name: string
  readonly country: string
  readonly region?: string
  readonly language: string
  readonly mediaType: string
  readonly orientation?: string
  /** How much its headlines bait, 0 to 9. */
  readonly bait: number
  readonly paywall?: boolean
  readonly closed?: boolean
  readonly repository: Repository
  readonly about: string
}

const columns = [
  'slug',
  'name',
  'place',
  'language',
  'mediaType',
  'orientation',
  'bait',
  'marks',
  'about',
] as const
type Row = Record<(typeof columns)[number], string>

// Marks: P paywall, W published by the wire's repository, C closed. `place` is ISO 3166-2 or a country alone.
const table = `
cuaderno-del-sur       | Cuaderno del Sur           | ES-AN  | es | print-native    | center-left  | 1 | P | Regional daily, owned by its readers.
veleta-de-bilbao       | La Veleta de Bilbao        | ES-PV  | es | digital-native  | center       | 2 |   | City news, funded by members.
ultima-chispa          | ¡Última Chispa!            | ES-MD  | es | digital-native  | right        | 8 |   | Entertainment and outrage, funded by advertising.
telar-de-merida        | El Telar de Mérida         | MX-YUC | es | print-native    | center       | 1 |   | Weekly that became a daily.
radio-volcan           | Radio Volcán Noticias      | MX-CMX | es | audio-broadcast | left         | 3 |   | Community radio with a newsroom.
mirador-rosarino       | Mirador Rosarino           | AR-S   | es | digital-native  | center-right | 4 | P | River ports, farming and football.
tres-rios              | Agencia Tres Ríos          | CO-ANT | es | news-agency     | neutral      | 0 | W | Wire service for Spanish-language papers.
courrier-des-traboules | Le Courrier des Traboules  | FR-ARA | fr | print-native    | center-right | 1 | P | Daily of the Rhône valley.
l-ecluse               | L’Écluse                   | FR-BRE | fr | digital-native  | left         | 2 |   | Investigations from the coast.
tele-confluence        | Télé Confluence            | FR-GES | fr | video-broadcast | center       | 3 |   | Regional television.
vite-vu                | Vite Vu !                  | FR-IDF | fr | digital-native  |              | 8 |   | Short videos, shorter articles.
la-bernache            | La Bernache                | CA-QC  | fr | digital-native  | center-left  | 2 |   | Cooperative of reporters.
baobab-du-matin        | Le Baobab du Matin         | SN-DK  | fr | print-native    | center       | 1 | W | Morning paper.
xiangkou-ribao         | 巷口日报                   | CN-SC  | zh | print-native    | center       | 1 |   | Neighbourhood daily.
yunling-tongxun        | 云岭通讯社                 | CN-YN  | zh | news-agency     | neutral      | 0 | W | Wire service of the south-west.
shancheng-tingwen      | 山城听闻                   | CN-CQ  | zh | audio-broadcast | center       | 2 |   | Talk radio.
haiwan-kuaixun         | 海湾快讯                   | SG     | zh | digital-native  | center-right | 3 | P | Business news of the straits.
zhenjing-sudi          | 震惊速递                   | CN-GD  | zh | digital-native  |              | 9 |   | Headlines first.
minato-yukan           | みなと夕刊                 | JP-14  | ja | print-native    | center-left  | 1 | P | Evening paper of the harbour.
yodogawa-web           | 淀川ウェブ                 | JP-27  | ja | digital-native  | center       | 2 |   | River towns, day by day.
hokuto-radio           | 北斗ラジオ報道             | JP-01  | ja | audio-broadcast | neutral      | 1 |   | Northern radio news.
retto-matome           | 列島まとめ堂               | JP-13  | ja | aggregator      |              | 7 | W | Collects what others wrote.
al-marfa               | صحيفة المرفأ               | EG-ALX | ar | print-native    | center       | 1 |   | Daily of the port.
shurfat-al-khalij      | شرفة الخليج                | AE-DU  | ar | digital-native  | center-right | 3 | P | Business and society.
radio-atlas            | راديو الأطلس الإخباري      | MA-07  | ar | audio-broadcast | left         | 2 |   | Radio news from the mountains.
al-nakhla              | وكالة النخلة للأنباء       | AE-AZ  | ar | news-agency     | neutral      | 0 | W | Wire service in Arabic.
ajil-plus              | عاجل بلس                   | EG-C   | ar | digital-native  | right        | 8 |   | Everything is breaking news.
kazanskiy-mayak        | Казанский маяк             | RU-TA  | ru | print-native    | center       | 1 |   | City paper.
stepnaya-strochka      | Степная строчка            | KZ-ALA | ru | digital-native  | center-left  | 2 | W | Central Asian reporting.
radio-pristan          | Радио «Пристань»           | RU-NIZ | ru | audio-broadcast | center-right | 3 |   | River radio.
sensatsiya-tochka      | Сенсация.Точка             | RU-MOW | ru | aggregator      |              | 8 |   | Louder than the original.
uferblatt              | Kölner Uferblatt           | DE-NW  | de | print-native    | center       | 1 | P | Daily of the Rhineland.
die-schleuse           | Die Schleuse               | DE-HH  | de | digital-native  | left         | 2 |   | Paid for by subscribers, free to read.
nordlicht-tv           | Nordlicht TV               | DE-SH  | de | video-broadcast | center       | 3 |   | Regional television.
klick-und-knall        | Klick & Knall              | DE-BE  | de | digital-native  | right        | 8 |   | Tabloid without paper.
alpenfunk              | Alpenfunk                  | AT-7   | de | audio-broadcast | center-right | 2 |   | Radio from the valleys.
limmatbote             | Der Limmatbote             | CH-ZH  | de | print-native    | center-right | 1 | PW | Business-minded daily.
diario-do-cais         | Diário do Cais             | PT-13  | pt | print-native    | center-left  | 1 |   | Daily of the north.
jornal-da-ladeira      | Jornal da Ladeira          | BR-BA  | pt | digital-native  | left         | 3 |   | Neighbourhood newsroom.
tv-ipe                 | TV Ipê Notícias            | BR-PR  | pt | video-broadcast | center       | 3 | W | Regional television.
bomba-do-dia           | Bomba do Dia               | BR-SP  | pt | digital-native  |              | 9 |   | Gossip and alarms.
aire-valley-ledger     | The Aire Valley Ledger     | GB-ENG | en | print-native    | center       | 1 | P | Daily since the canal was dug.
harbour-and-hill       | Harbour & Hill             | GB-NIR | en | digital-native  | center-left  | 2 |   | Slow news from the north.
town-crier-letter      | The Town Crier’s Letter    | GB-SCT | en | other           | neutral      | 1 |   | A newsletter, one reporter.
cascadia-courant       | The Cascadia Courant       | US-OR  | en | print-native    | left         | 2 | P | Forests, ports and city halls.
prairie-signal         | Prairie Signal Radio       | US-IL  | en | audio-broadcast | center-right | 2 |   | Farm and city radio.
shockscroll            | ShockScroll                | US-NY  | en | digital-native  | right        | 9 |   | You will not stop scrolling.
gather-daily           | Gather Daily               | US-CA  | en | aggregator      |              | 4 | W | Collects what others wrote.
indian-ocean-wire      | Indian Ocean Wire          | ZA-KZN | en | news-agency     | neutral      | 0 | W | Wire service for three coasts.
coromandel-post        | The Coromandel Post        | IN-TN  | en | print-native    | center       | 1 | C | Folded in the autumn; its archive remains.
gomti-savera           | गोमती सवेरा                | IN-UP  | hi | print-native    | center       | 1 |   | Morning daily.
malwa-darpan           | मालवा दर्पण                | IN-MP  | hi | digital-native  | center-left  | 2 |   | Villages and small towns.
khabar-dhamaka         | खबर धमाका                  | IN-DL  | hi | video-broadcast | right        | 8 |   | Loud television.
`

export const outlets: readonly Outlet[] = table.trim().split('\n').map(buildOutlet)

function buildOutlet(line: string): Outlet {
  const cells = line.split('|').map((cell) => cell.trim())
  const row = Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])) as Row
  return {
    slug: row.slug,
    name: row.name,
    country: row.place.slice(0, 2),
    ...(row.place.length > 2 && { region: row.place }),
    language: row.language,
    mediaType: row.mediaType,
    ...(row.orientation !== '' && { orientation: row.orientation }),
    bait: Number(row.bait),
    paywall: row.marks.includes('P'),
    closed: row.marks.includes('C'),
    repository: row.marks.includes('W') ? 'wire' : 'press',
    about: row.about,
  }
}
