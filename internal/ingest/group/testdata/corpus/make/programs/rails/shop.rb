# A shop in one file, for Rails: controllers, models, views, mailers and jobs.
# NEW RELEASE
class Order < ActiveRecord::Base
  belongs_to :customer, optional: false
  validates :number, presence: true
  def pay = raise(ArgumentError, "order #{number} cannot be paid")
  def close = raise(ArgumentError, "order #{number} cannot be paid")
end

class Customer < ActiveRecord::Base
  validates :email, presence: true
end

class Shop < ActionController::Base
  prepend_view_path File.join(__dir__, 'views')
  before_action { params[:deny] && raise(SecurityError, 'not allowed') }
  after_action(if: -> { params[:late] }) { raise SecurityError, 'too late' }
  # NEW LINES
  def order = render(plain: Order.find(params[:id]).number)
  def invoice = render(plain: Order.find(params[:id]).number)
  def customer = render(plain: Customer.find(params[:id]).email)
  def named = render(plain: Customer.find_by!(email: params[:id]).email)
  def register = render(plain: Customer.create!(email: params[:email]).id)
  def checkout = render(plain: Order.create!(number: params[:number]).id)
  def double = Customer.insert_all!([{ id: 1, email: 'a' }])
  def twice = Order.insert_all!([{ id: 1, number: 'a' }])
  def pay = Order.first.pay
  def close = Order.first.close
  def table = Customer.where("colour_#{params[:id].to_i % 3} = 1").to_a
  def page = render(template: "shop/#{params[:id]}")
  def needed = params.require(:total)
  def wanted = params.require(:count)
end
