/** Adds a button after the links of a chart, which makes a PNG of the file in the browser. */
export function chartImages(root: ParentNode): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[data-image]')) {
    const shown = { type: 'button', className: 'copy', textContent: link.dataset.image ?? '' }
    const button = Object.assign(document.createElement('button'), shown)
    button.addEventListener('click', () => {
      button.disabled = true
      save(link)
        .catch(() => location.assign(link.href))
        .finally(() => (button.disabled = false))
    })
    link.parentElement?.append(button)
  }
}

/** Twice the size of the SVG, for print. */
const scale = 2

async function save({ href: address, download: name }: HTMLAnchorElement): Promise<void> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${response.status}`)
  const svg = new DOMParser().parseFromString(await response.text(), 'image/svg+xml').documentElement
  const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(' ').map(Number)
  svg.setAttribute('width', String(width * scale))
  svg.setAttribute('height', String(height * scale))
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`
  await image.decode()
  const size = { width: width * scale, height: height * scale }
  const canvas = Object.assign(document.createElement('canvas'), size)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('No canvas.')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0)
  const file = { href: canvas.toDataURL('image/png'), download: name.replace(/svg$/, 'png') }
  Object.assign(document.createElement('a'), file).click()
}
