(ns kiosk.cart
  (:require [clojure.string :as string]))
;; NEW RELEASE

(defn total [items] (reduce + (map (fn [i] (+ 1 (:price i))) items)))
(defn names [items] (doall (map #(string/trim (:name %)) items)))
;; NEW LINES
(defn charge [order] (throw (ex-info (str "order " (:id order) " was declined") {:order order})))
(defn refund [order] (throw (ex-info (str "order " (:id order) " was declined") {:order order})))
(defn step [f] (try (f) (catch Exception e (throw (ex-info "step failed" {} e)))))
(defn later [f] @(future (f)))
(defmulti ship :by)
(defmethod ship :van [o] (charge o))
(defn ratio [a b] (/ a b))
(defn share [a b] (quot a b))
(defn checked [n] {:pre [(pos? n)]} n)
(defn counted [n] {:pre [(pos? n)]} n)
(defn picked [m] ((:pick m) 1))
(defn packed [m] ((:pack m) 1))

(def all
  {"total" #(total [{}]) "names" #(names [{}]) "charge 1" #(charge {:id 1}) "charge 2" #(charge {:id 22}) "refund 1" #(refund {:id 1}) "refund 2" #(refund {:id 22})
   "step charge" #(step (fn [] (charge {:id 1}))) "step charge 2" #(step (fn [] (charge {:id 22}))) "step total" #(step (fn [] (total [{}])))
   "later charge" #(later (fn [] (charge {:id 1}))) "later charge 2" #(later (fn [] (charge {:id 22}))) "later total" #(later (fn [] (total [{}])))
   "ship" #(ship {:by :van :id 5}) "ship bike" #(ship {:by :bike}) "ratio" #(ratio 1 0) "share" #(share 1 0) "checked" #(checked 0) "counted" #(counted 0)
   "picked" #(picked {}) "packed" #(packed {})})
