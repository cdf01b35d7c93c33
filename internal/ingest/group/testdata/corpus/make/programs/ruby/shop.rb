# A shop, for Ruby, Rails and Sidekiq.
require 'json'
require 'time'
# NEW RELEASE

class Declined < StandardError; end
class Gone < StandardError; end

class Cart
  def initialize(items) = @items = items
  def total
    @items.sum { |i| i[:price].amount }
  end

  def names
    @items.map { |i| i[:name].strip }
  end

  def ship(country)
    raise Declined, 'cannot ship' if country == 'nowhere'
    raise Declined, 'cannot ship' if @items.empty?
  end

  def method_missing(name, *args)
    name.to_s.start_with?('item_') ? raise(Gone, "#{name} is gone") : super
  end

  define_method(:pay) { |n| raise Declined, "payment #{n} was declined" }
  define_method(:refund) { |n| raise Declined, "payment #{n} was declined" }
  %w[card bank].each { |kind| define_method("by_#{kind}") { raise Declined, 'no way to pay' } }

  def self.load(id) = raise(Gone, "cart #{id} is gone")
  class << self
    def drop(id)
      raise Gone, "cart #{id} is gone"
    end
  end
end

# NEW LINES
def order(id) = raise(Gone, "order #{id} is gone")
def invoice(id) = raise(Gone, "invoice #{id} is gone")
def street(o) = o.fetch(:street)
def city(o) = o.fetch(:city)
def price(o) = o[:price].amount
def label(o) = o[:label].upcase
def rates(text) = JSON.parse(text)
def users(text) = JSON.parse(text)
def day(text) = Time.parse(text)
def number(text) = Integer(text)
def count(text) = Integer(text)
def read(path) = File.read(path)
def status(code) = raise(Declined, "the bank answered HTTP #{code}")
def required(value, what) = value || raise(ArgumentError, "#{what} is missing")
def need_street = required(nil, 'the street')
def need_city = required(nil, 'the city')
def step
  yield
rescue StandardError
  raise Declined, 'step failed'
end
def deep(n) = n.zero? ? raise(Gone, 'bottom') : deep(n - 1)
def loop_on(n) = loop_on(n + 1)
def in_thread(&block) = Thread.new(&block).tap { |t| t.report_on_exception = false }.join
def in_fiber(&block) = Fiber.new(&block).resume
def empty = raise
def empty_too = raise(Declined, '')
def shown(o) = raise(Gone, "no price of #{o.inspect}")
def frozen(text) = text.freeze << 'x'
def frozen_list(list) = list.freeze << 1
def proc_of(kind) = { card: proc { raise Declined, 'no way' }, bank: lambda { raise Declined, 'no way' } }[kind].call
