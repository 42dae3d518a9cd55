import sharp from 'sharp'

type Colour = readonly [number, number, number]
/** The sky above, at the horizon, the sun, the far hills, the near ones. */
const scenes: readonly (readonly [Colour, Colour, Colour, Colour, Colour])[] = [
  [
    [244, 132, 95],
    [247, 198, 130],
    [255, 241, 201],
    [123, 75, 95],
    [74, 48, 71],
  ],
  [
    [126, 190, 225],
    [224, 244, 255],
    [255, 251, 230],
    [106, 153, 78],
    [56, 102, 65],
  ],
  [
    [22, 40, 70],
    [85, 135, 170],
    [241, 250, 238],
    [28, 56, 84],
    [13, 27, 42],
  ],
  [
    [180, 160, 210],
    [255, 200, 221],
    [255, 255, 255],
    [125, 132, 178],
    [84, 94, 140],
  ],
  [
    [140, 205, 215],
    [241, 250, 238],
    [255, 232, 163],
    [42, 157, 143],
    [29, 111, 102],
  ],
  [
    [144, 164, 174],
    [236, 239, 241],
    [250, 250, 250],
    [84, 110, 122],
    [55, 71, 79],
  ],
]

/** A landscape of sky, sun and hills, different for every seed. */
export function landscape(seed: number, width = 1200, height = 800): Promise<Buffer> {
  const [above, horizon, sun, far, near] = scenes[seed % scenes.length] as (typeof scenes)[number]
  const wave = (n: number) => Math.sin(seed * 12.9898 + n * 78.233)
  const ridge = (x: number, base: number, depth: number, n: number) =>
    base + depth * (Math.sin(x * 5 + 6 * wave(n)) + 0.4 * Math.sin(x * 13 + 6 * wave(n + 1)))
  const [sunX, sunY] = [width / 2 + width * 0.3 * wave(9), height * (0.28 + 0.08 * wave(5))]
  const bytes = Buffer.alloc(width * height * 3)
  for (let x = 0; x < width; x++) {
    const at = x / width
    const [first, second] = [ridge(at, 0.6, 0.06, 1) * height, ridge(at, 0.78, 0.05, 3) * height]
    for (let y = 0; y < height; y++) {
      const share = Math.min(1, y / (height * 0.65))
      const sky = above.map((one, i) => one + ((horizon[i] ?? 0) - one) * share)
      const isSun = Math.hypot(x - sunX, y - sunY) < height * 0.08
      bytes.set(y > second ? near : y > first ? far : isSun ? sun : sky, (y * width + x) * 3)
    }
  }
  return sharp(bytes, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 80 })
    .toBuffer()
}
