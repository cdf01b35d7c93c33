import { Cart } from '../../../lib/cart'
export const dynamic = 'force-dynamic'
export async function GET(request) { return new Response(String(new Cart().pay(Number(new URL(request.url).searchParams.get('n'))))) }
