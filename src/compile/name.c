/* name.c: checks the names that a user gives to kernels, parameters and types. */
#include "compile/body.h"

#include <string.h>

/* Keywords of C++, and names that generated texts use. */
static const char *const reserved[] = {
  "alignas",   "alignof",  "and",      "and_eq",    "asm",          "auto",          "bitand",
  "bitor",     "bool",     "break",    "case",      "catch",        "char",          "char16_t",
  "char32_t",  "class",    "compl",    "const",     "const_cast",   "constexpr",     "continue",
  "decltype",  "default",  "delete",   "do",        "double",       "dynamic_cast",  "else",
  "enum",      "explicit", "export",   "extern",    "false",        "float",         "for",
  "friend",    "goto",     "if",       "inline",    "int",          "long",          "mutable",
  "namespace", "new",      "noexcept", "not",       "not_eq",       "nullptr",       "operator",
  "or",        "or_eq",    "private",  "protected", "public",       "register",      "reinterpret_cast",
  "return",    "short",    "signed",   "sizeof",    "static",       "static_assert", "static_cast",
  "struct",    "switch",   "template", "this",      "thread_local", "throw",         "true",
  "try",       "typedef",  "typeid",   "typename",  "union",        "unsigned",      "using",
  "virtual",   "void",     "volatile", "wchar_t",   "while",        "xor",           "xor_eq",
  "raw",       "i",        "n",        "complex",   "bool_",        "operation",     "asm",
  "typeof",    "restrict", "main",     "threadIdx", "blockIdx",     "blockDim",      "gridDim",
  "warpSize",  "int8_t",   "int16_t",  "int32_t",   "int64_t",      "uint8_t",       "uint16_t",
  "uint32_t",  "uint64_t", "size_t",   "ptrdiff_t", "NULL",         "NAN",           "INFINITY",
  "defined",
};

bool ma_name_is_identifier(const char *name) {
  if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_')) return false;
  for (; *name; name++)
    if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') ||
          *name == '_'))
      return false;
  return true;
}

static bool is_reserved(const char *name) {
  ma_dtype dtype;
  for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
    if (!strcmp(name, reserved[k])) return true;
  return ma_dtype_find(name, &dtype) || !strncmp(name, "ma_", 3) || !strncmp(name, "dt_", 3);
}

ma_status ma_name_check(const char *what, const char *name) {
  if (!ma_name_is_identifier(name)) return ma_fail(MA_ERR_VALUE, "%s is '%.40s'; wanted a C identifier", what, name);
  if (strlen(name) > 31) return ma_fail(MA_ERR_VALUE, "%s is '%.40s...'; at most 31 characters", what, name);
  if (*name == '_')
    return ma_fail(MA_ERR_VALUE, "%s is '%s'; names that start with _ are kept for generated text", what, name);
  if (is_reserved(name)) return ma_fail(MA_ERR_VALUE, "%s is '%s'; this name is reserved, choose another", what, name);
  return MA_OK;
}
