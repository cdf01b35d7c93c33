import { Cart } from '../../../../lib/cart'
export const dynamic = 'force-dynamic'
export default async function CartPage({ searchParams }) { const { n } = await searchParams; return <p>{new Cart().pay(Number(n))}</p> }
