#include <selvage/frontend/file_form.h>
#include <selvage/report/file_schema.h>

#include <nlohmann/json.hpp>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;

Json reference(Form form) { return {{"$ref", "#/$defs/" + std::string(info(form).name)}}; }

Json schema_of_name() {
  return {{"type", "string"}, {"pattern", "^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$"}};
}

Json schema_of_integer(const FormInfo& form) {
  Json integer = {{"type", "integer"}};
  if (form.least != INT64_MIN) integer["minimum"] = form.least;
  // Quotes do not matter.
  const char* sign = form.least == INT64_MIN ? "-?" : "";
  const char* digits = form.least == 1 ? "[1-9][0-9]*" : "(0|[1-9][0-9]*)";
  const Json text = {{"type", "string"}, {"pattern", std::string("^") + sign + digits + "$"}};
  return {{"anyOf", Json::array({integer, text})}};
}

void append_bounds(Json& json, const FormInfo& form, const char* least, const char* most) {
  if (form.least > 0) json[least] = form.least;
  if (form.most != INT64_MAX) json[most] = form.most;
}

Json schema_of_key(const FileKey& key) {
  Json json = reference(key.value);
  json["description"] = key.says;
  return json;
}

Json schema_of_named(const FormInfo& form) {
  Json json = {{"type", "object"}};
  if (form.kind == FormInfo::Kind::Named) {
    Json& names = json["propertyNames"] = schema_of_name();
    if (!form.words.empty()) names["not"]["enum"] = form.words;
  }
  for (const FileKey& key : form.keys) {
    json["properties"][std::string(key.name)] = schema_of_key(key);
  }
  json["additionalProperties"] = reference(form.of[0]);
  append_bounds(json, form, "minProperties", "maxProperties");
  return json;
}

Json schema_of_map(const FormInfo& form, bool has_one_key) {
  Json json = {{"type", "object"}};
  Json& properties = json["properties"] = Json::object();
  Json needed = Json::array();
  for (const FileKey& key : form.keys) {
    properties[std::string(key.name)] = schema_of_key(key);
    if (key.is_needed) needed.push_back(key.name);
  }
  json["additionalProperties"] = false;
  if (!needed.empty()) json["required"] = needed;
  if (has_one_key) json["minProperties"] = json["maxProperties"] = 1;
  return json;
}

Json schema_of(const FormInfo& form) {
  using Kind = FormInfo::Kind;
  switch (form.kind) {
    case Kind::Text:
      if (!form.pattern.empty()) return {{"type", "string"}, {"pattern", form.pattern}};
      return {{"type", {"string", "number", "boolean"}}};
    case Kind::Any: return Json::object();
    case Kind::Name: return schema_of_name();
    case Kind::Integer: return schema_of_integer(form);
    case Kind::Extent: {
      const Json integer = {{"type", "integer"}, {"minimum", 1}};
      return {{"anyOf", Json::array({integer, {{"type", "string"}}})}};
    }
    case Kind::Truth: return {{"type", "boolean"}};
    case Kind::Word: return {{"enum", form.words}};
    case Kind::Nothing: return {{"type", "null"}};
    case Kind::List: {
      Json json = {{"type", "array"}, {"items", reference(form.of[0])}};
      append_bounds(json, form, "minItems", "maxItems");
      return json;
    }
    case Kind::Named:
    case Kind::Keyed: return schema_of_named(form);
    case Kind::Map: return schema_of_map(form, false);
    case Kind::OneKey: return schema_of_map(form, true);
    case Kind::Either: break;
  }
  Json json;
  for (Form each : form.of) json["anyOf"].push_back(reference(each));
  return json;
}

}  // namespace

std::string file_schema() {
  Json json = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", "Selvage schedule file"},
               {"$ref", "#/$defs/file"}};
  Json& definitions = json["$defs"] = Json::object();
  for (int k = 0; k < kForms; ++k) {
    const FormInfo& form = info(Form(k));
    Json& definition = definitions[std::string(form.name)] = {{"title", form.says}};
    definition.update(schema_of(form));
  }
  return json.dump(1) + "\n";
}

}  // namespace selvage
