/** Arabic. Names and values in sentences are isolated, because their direction may be another. */
import type { Translation } from './catalogue.ts'
import { charts } from './charts-ar.ts'

/** First strong isolate, and its end. */
const isolated = (text: string | number): string => `\u2068${text}\u2069`

const list = (texts: readonly string[]): string => texts.map(isolated).join('، ')

export const ar: Translation = {
  skip: 'انتقل إلى المحتوى',
  search: 'بحث',
  searchIn: (collection) => `البحث في ${isolated(collection)}`,
  home: 'الرئيسية',
  console: 'وحدة تحكم GraphQL',
  language: 'اللغة',
  collections: 'المجموعات',
  newest: 'الأحدث',
  filters: 'عوامل التصفية',
  apply: 'تطبيق',
  remove: 'إزالة',
  clear: 'إزالة كل عوامل التصفية',
  results: 'النتائج',
  noResults: 'لا توجد نتائج مطابقة.',
  noResultsHint: 'أزل أحد عوامل التصفية، أو ابحث بكلمات أقل.',
  didYouMean: 'هل تقصد',
  records: {
    zero: 'لا سجلات',
    one: 'سجل واحد',
    two: 'سجلان',
    few: '{n} سجلات',
    many: '{n} سجلًا',
    other: '{n} سجل',
  },
  missing: 'بلا قيمة',
  notValue: (value) => `ليس ${isolated(value)}`,
  exclude: 'استبعاد',
  include: 'تضمين',
  more: 'المزيد',
  from: 'من',
  to: 'إلى',
  sort: 'الترتيب',
  newestFirst: 'الأحدث أولًا',
  mostRelevant: 'الأكثر صلة أولًا',
  show: 'طريقة العرض',
  list: 'قائمة',
  table: 'جدول',
  cards: 'بطاقات',
  next: 'الصفحة التالية',
  previous: 'الصفحة السابقة',
  firstPage: 'الصفحة الأولى',
  yes: 'نعم',
  no: 'لا',
  indexedAt: 'وقت الفهرسة',
  updated: (time) => `آخر سجل مفهرس: ${isolated(time)}`,
  sourceState: (name, state) => `${isolated(name)}: ${isolated(state)}`,
  wrongAddress: 'يطلب هذا العنوان شيئًا غير موجود',
  notFound: 'هذه الصفحة غير موجودة.',
  failed: 'تعذر عرض هذه الصفحة',
  tooExpensive: 'هذا الاستعلام مكلف جدًا. اختر مدة أقصر، أو جوانب ومجموعات أقل.',
  tooMany: (seconds) => `لقد أرسلت طلبات كثيرة في وقت قصير. أعد المحاولة بعد ${isolated(seconds)} ثانية.`,
  operator: {
    contact: 'للتواصل',
    note: 'الشروط ومصدر البيانات',
    source: 'المصدر',
    about: (service) => `ابحث في سجلات ${isolated(service)} وقارنها وصدّرها.`,
  },
  charts,
  record: {
    fields: 'الحقول',
    about: 'عن هذا السجل',
    account: 'الحساب',
    changedAt: 'وقت التغيير',
    json: 'السجل بصيغة JSON',
    place: 'المكان',
    map: 'على الخريطة',
    file: 'ملف',
    bytes: (count) => `${count} بايت`,
    more: (count) => `و${count} أخرى`,
    ofMost: (value, most) => `${value} من ${most}`,
    between: (value, least, most) => `${value} (من ${least} إلى ${most})`,
    otherVersion: 'تغيّر منذ ذلك الحين',
    referring: (collection, field) => `${isolated(collection)}: يشير إلى هذا السجل في «${isolated(field)}»`,
    newestOf: (count) => `أحدث ${count}`,
    figures: (collection) => `${isolated(collection)}: أرقام`,
    total: 'العدد',
    first: 'الأول',
    last: 'الأخير',
    months: 'السجلات حسب الشهر',
    mean: (field) => `${isolated(field)}، المتوسط`,
    notIndexed: 'هذا السجل غير مفهرس هنا',
    notIndexedHint: 'ربما حُذف أو لم يصل بعد.',
  },
  account: {
    handle: 'اسم المستخدم',
    none: 'لا توجد سجلات لهذا الحساب هنا',
  },
  take: {
    title: 'خذها معك',
    playground: 'افتح في لوحة GraphQL',
    embed: 'أدرجها في صفحة',
    prompt: 'تعليمات لوكيل',
    citation: 'اقتباس',
    indexState: (time) => `الفهرس في ${isolated(time)}.`,
    copy: 'نسخ',
    copied: 'تم النسخ',
  },
  problem: (problem) => {
    switch (problem.kind) {
      case 'unknownParameter':
        return `لا يوجد حقل أو معامل باسم «${isolated(problem.name)}». أزله من العنوان.`
      case 'unknownOperator':
        return `الحقل «${isolated(problem.name)}» لا يقبل «${isolated(problem.operator)}»، بل يقبل: ${list(problem.operators)}.`
      case 'longValue':
        return `قيمة «${isolated(problem.name)}» طويلة جدًا: الحد الأقصى لعدد الأحرف ${isolated(problem.most)}.`
      case 'notFlag':
        return `قيمة «${isolated(`${problem.name}.missing`)}» هي 1 أو 0.`
      case 'notInteger':
        return `قيمة «${isolated(problem.name)}» عدد صحيح، و«${isolated(problem.value)}» ليس كذلك.`
      case 'notBoolean':
        return `قيمة «${isolated(problem.name)}» هي true أو false، وليست «${isolated(problem.value)}».`
      case 'notTime':
        return `قيمة «${isolated(problem.name)}» تاريخ مثل ${isolated('2026-11-30')} أو وقت مثل ${isolated('2026-11-30T12:00:00Z')}، و«${isolated(problem.value)}» ليس أيًا منهما.`
      case 'tooManyConditions':
        return `الحد الأقصى لعدد عوامل التصفية هو ${isolated(problem.most)}.`
      case 'tooManyQueries':
        return `الحد الأقصى لعدد الاستعلامات هو ${isolated(problem.most)}.`
      case 'unknownChoice':
        return `لا يمكن أن تكون قيمة «${isolated(problem.name)}» هي «${isolated(problem.value)}».${problem.choices.length === 0 ? '' : ` القيم الممكنة: ${list(problem.choices.slice(0, 30))}.`}`
    }
  },
}
