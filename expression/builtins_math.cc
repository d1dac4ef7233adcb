// SPDX-License-Identifier: Apache-2.0
// The C library's functions on doubles, as jq names them.
#include <cmath>

#include "expression/builtins.h"
#include "expression/operators.h"

namespace jaque::expression {
namespace {

bool CheckNumber(Context& context, const Value& value) {
  return value.is_number() || RaiseOne(context, value, "number required");
}

template <double (*function)(double)>
bool Unary(Context& context, Value* value, Value*) {
  if (!CheckNumber(context, *value)) return false;
  *value = Value::Double(function(value->number()));
  return true;
}

// For what leaves integers as they are: they may be larger than a double can hold.
template <double (*function)(double)>
bool Rounding(Context& context, Value* value, Value* arguments) {
  return value->is_int() || Unary<function>(context, value, arguments);
}

template <double (*function)(double, double)>
bool Binary(Context& context, Value* value, Value* arguments) {
  if (!CheckNumber(context, arguments[0]) || !CheckNumber(context, arguments[1])) return false;
  *value = Value::Double(function(arguments[0].number(), arguments[1].number()));
  return true;
}

bool FusedMultiplyAdd(Context& context, Value* value, Value* arguments) {
  for (int i = 0; i < 3; ++i) {
    if (!CheckNumber(context, arguments[i])) return false;
  }
  *value =
      Value::Double(std::fma(arguments[0].number(), arguments[1].number(), arguments[2].number()));
  return true;
}

bool FloatAbsolute(Context& context, Value* value, Value*) {
  if (!CheckNumber(context, *value)) return false;
  if (value->is_int() && value->int_value() != INT64_MIN) {
    *value = Value::Int(std::abs(value->int_value()));
  } else {
    *value = Value::Double(std::fabs(value->number()));
  }
  return true;
}

bool Fraction(Context& context, Value* value, Value*) {
  if (!CheckNumber(context, *value)) return false;
  int exponent = 0;
  const double mantissa = std::frexp(value->number(), &exponent);
  if (!std::isfinite(value->number())) exponent = 0;
  *value = Value::Array({Value::Double(mantissa), Value::Int(exponent)});
  return true;
}

bool Parts(Context& context, Value* value, Value*) {
  if (!CheckNumber(context, *value)) return false;
  double whole = 0;
  const double rest = std::modf(value->number(), &whole);
  *value = Value::Array({Value::Double(rest), Value::Double(whole)});
  return true;
}

bool LogGammaWithSign(Context& context, Value* value, Value*) {
  if (!CheckNumber(context, *value)) return false;
  int sign = 1;
  const double result = ::lgamma_r(value->number(), &sign);
  *value = Value::Array({Value::Double(result), Value::Int(sign)});
  return true;
}

double LogGamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);  // lgamma has a global for the sign
}
double Significand(double x) { return ::significand(x); }
double PowerOfTen(double x) { return std::pow(10, x); }
double LoadExponent(double x, double exponent) {
  if (std::isnan(exponent)) return exponent;
  return std::ldexp(x, static_cast<int>(std::fmax(-100000, std::fmin(100000, exponent))));
}
double Bessel(double n, double x) { return ::jn(static_cast<int>(std::fmod(n, 1e9)), x); }
double BesselSecond(double n, double x) { return ::yn(static_cast<int>(std::fmod(n, 1e9)), x); }
double TowardLong(double a, double b) { return std::nexttoward(a, static_cast<long double>(b)); }
double Remainder(double a, double b) { return std::remainder(a, b); }

template <bool (*test)(double)>
bool Test(Context&, Value* value, Value*) {
  *value = Value::Bool(value->is_number() && test(value->number()));
  return true;
}
bool IsInfinite(double x) { return std::isinf(x); }
bool IsNan(double x) { return std::isnan(x); }
bool IsNormal(double x) { return std::isnormal(x); }
bool IsFinite(double x) { return std::isfinite(x); }

constexpr NativeEntry kEntries[] = {
    {"floor", 0, Rounding<std::floor>},
    {"ceil", 0, Rounding<std::ceil>},
    {"round", 0, Rounding<std::round>},
    {"trunc", 0, Rounding<std::trunc>},
    {"rint", 0, Rounding<std::rint>},
    {"nearbyint", 0, Rounding<std::nearbyint>},
    {"fabs", 0, FloatAbsolute},
    {"sqrt", 0, Unary<std::sqrt>},
    {"cbrt", 0, Unary<std::cbrt>},
    {"exp", 0, Unary<std::exp>},
    {"exp2", 0, Unary<std::exp2>},
    {"exp10", 0, Unary<PowerOfTen>},
    {"pow10", 0, Unary<PowerOfTen>},
    {"expm1", 0, Unary<std::expm1>},
    {"log", 0, Unary<std::log>},
    {"log2", 0, Unary<std::log2>},
    {"log10", 0, Unary<std::log10>},
    {"log1p", 0, Unary<std::log1p>},
    {"logb", 0, Unary<std::logb>},
    {"gamma", 0, Unary<LogGamma>},
    {"lgamma", 0, Unary<LogGamma>},
    {"tgamma", 0, Unary<std::tgamma>},
    {"lgamma_r", 0, LogGammaWithSign},
    {"significand", 0, Unary<Significand>},
    {"erf", 0, Unary<std::erf>},
    {"erfc", 0, Unary<std::erfc>},
    {"sin", 0, Unary<std::sin>},
    {"cos", 0, Unary<std::cos>},
    {"tan", 0, Unary<std::tan>},
    {"asin", 0, Unary<std::asin>},
    {"acos", 0, Unary<std::acos>},
    {"atan", 0, Unary<std::atan>},
    {"sinh", 0, Unary<std::sinh>},
    {"cosh", 0, Unary<std::cosh>},
    {"tanh", 0, Unary<std::tanh>},
    {"asinh", 0, Unary<std::asinh>},
    {"acosh", 0, Unary<std::acosh>},
    {"atanh", 0, Unary<std::atanh>},
    {"j0", 0, Unary<::j0>},
    {"j1", 0, Unary<::j1>},
    {"y0", 0, Unary<::y0>},
    {"y1", 0, Unary<::y1>},
    {"jn", 2, Binary<Bessel>},
    {"yn", 2, Binary<BesselSecond>},
    {"pow", 2, Binary<std::pow>},
    {"atan2", 2, Binary<std::atan2>},
    {"fmod", 2, Binary<std::fmod>},
    {"fmin", 2, Binary<std::fmin>},
    {"fmax", 2, Binary<std::fmax>},
    {"fdim", 2, Binary<std::fdim>},
    {"hypot", 2, Binary<std::hypot>},
    {"copysign", 2, Binary<std::copysign>},
    {"drem", 2, Binary<Remainder>},
    {"remainder", 2, Binary<Remainder>},
    {"nextafter", 2, Binary<std::nextafter>},
    {"nexttoward", 2, Binary<TowardLong>},
    {"ldexp", 2, Binary<LoadExponent>},
    {"scalb", 2, Binary<LoadExponent>},
    {"scalbln", 2, Binary<LoadExponent>},
    {"fma", 3, FusedMultiplyAdd},
    {"frexp", 0, Fraction},
    {"modf", 0, Parts},
    {"isinfinite", 0, Test<IsInfinite>},
    {"isnan", 0, Test<IsNan>},
    {"isnormal", 0, Test<IsNormal>},
    {"isfinite", 0, Test<IsFinite>},
};

}  // namespace

absl::Span<const NativeEntry> MathBuiltins() { return kEntries; }

}  // namespace jaque::expression
