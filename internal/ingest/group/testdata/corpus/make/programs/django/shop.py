"""A shop in one file, for Django."""
# NEW RELEASE
from django.db import connection, models, transaction
from django.http import HttpResponse
from django.shortcuts import render
from django.template import engines
from django.urls import path, reverse


class Customer(models.Model):
    email = models.CharField(max_length=80, unique=True)

    class Meta:
        app_label = "shop"


class Order(models.Model):
    number = models.IntegerField()

    class Meta:
        app_label = "shop"


def register(request, email):
    Customer.objects.create(email=email)
    return HttpResponse("ok")


def invite(request, email):
    Customer.objects.create(email=email)
    return HttpResponse("ok")


def order(request, number):
    return HttpResponse(Order.objects.get(number=number).number)


def customer(request, email):
    return HttpResponse(Customer.objects.get(email=email).email)


def invoice(request, number):
    return HttpResponse(Order.objects.get(number=number).number)


def table(request, name):
    with connection.cursor() as c:
        c.execute("SELECT * FROM report_" + name)
    return HttpResponse("ok")


def column(request, name):
    with connection.cursor() as c:
        c.execute("SELECT %s FROM shop_order" % name)
    return HttpResponse("ok")


# NEW LINES
def page(request, name):
    return render(request, name + ".html")


def receipt(request, number):
    return HttpResponse(engines["django"].from_string("{{ n|add:missing }}{% url 'nowhere' %}").render({"n": number}))


def link(request, name):
    return HttpResponse(reverse(name))


def checkout(request):
    total = request.GET["total"]
    return HttpResponse(int(total))


def basket(request):
    count = request.GET["count"]
    return HttpResponse(int(count))


urlpatterns = [
    path("register/<email>/", register), path("invite/<email>/", invite), path("orders/<int:number>/", order), path("customers/<email>/", customer),
    path("orders/<int:number>/invoice/", invoice), path("tables/<name>/", table), path("columns/<name>/", column), path("pages/<name>/", page),
    path("receipts/<int:number>/", receipt), path("links/<name>/", link), path("checkout/", checkout), path("basket/", basket),
]
