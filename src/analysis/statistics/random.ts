/** A source of randomness: each call gives a number between 0 and 1, both excluded. */
export type Random = () => number;

const range = 2 ** 32;

/**
 * Randomness that is the same for the same seed: xoshiro128** of Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators" (ACM TOMS 47, 2021), its state filled by the mixing function of Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators" (OOPSLA 2014), in 32 bits.
 *
 * @param seed any whole number
 */
export function seededRandom(seed: number): Random {
  let weyl = seed | 0;
  const mix = () => {
    weyl = (weyl + 0x9e3779b9) | 0;
    let word = Math.imul(weyl ^ (weyl >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return word ^ (word >>> 16);
  };
  let [a, b, c, d] = [mix(), mix(), mix(), mix()];
  return () => {
    const word = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return ((word >>> 0) + 0.5) / range;
  };
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** One draw from the standard normal distribution: the polar method, Marsaglia and Bray (SIAM Review 6, 1964). */
export function drawNormal(random: Random): number {
  for (;;) {
    const x = 2 * random() - 1;
    const y = 2 * random() - 1;
    const square = x * x + y * y;
    if (square < 1 && square > 0) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

/**
 * One draw from Gamma(shape, 1): Marsaglia and Tsang, "A simple method for generating gamma variables" (ACM TOMS 26, 2000).
 *
 * @param shape above 0
 */
export function drawGamma(shape: number, random: Random): number {
  // Their section 6: below 1 a gamma of the next shape is scaled down.
  if (shape < 1) return drawGamma(shape + 1, random) * random() ** (1 / shape);
  const offset = shape - 1 / 3;
  const scale = 1 / Math.sqrt(9 * offset);
  for (;;) {
    const normal = drawNormal(random);
    const root = 1 + scale * normal;
    if (root <= 0) continue;
    const cube = root * root * root;
    const uniform = random();
    const square = normal * normal;
    // The cheap test accepts nearly every draw without a logarithm.
    if (uniform < 1 - 0.0331 * square * square) return offset * cube;
    if (Math.log(uniform) < 0.5 * square + offset * (1 - cube + Math.log(cube))) return offset * cube;
  }
}

/** One draw from Beta(alpha, beta), as the share of one gamma in the sum of two (Devroye, 1986, chapter IX.4). */
export function drawBeta(alpha: number, beta: number, random: Random): number {
  const part = drawGamma(alpha, random);
  return part / (part + drawGamma(beta, random));
}
