// From a scheme's text to its phases, for one configuration.
#pragma once

#include "program/scheme.h"
#include "run/scheme_table.h"

namespace t3sim {

// What `if` can ask of a configuration.
program::SchemeFacts scheme_facts(const Config& config);

class SchemeBuilder {
 public:
  // All of it must outlive the builder.
  SchemeBuilder(const Config& config, SchemeParts& parts, const program::SchemeText& text)
      : config_(config), parts_(parts), text_(text), forms_(&parts.collectives()) {}

  // Throws InputError, with the place in the text, for stages that do not fit the configuration or each other: of what
  // nothing has computed yet, or short of what the configuration's collective promises.
  Scheme build();

 private:
  using Stage = program::StageText;

  void add(const Stage& stage);
  void launch(const Stage& stage);
  void launch_tracked(const Stage& stage);
  void exchange(const Stage& stage);
  void all_gather(const Stage& stage);
  void following(const Stage& stage);
  void push(const Stage& stage, SchemePhase phase);
  void resolve_zeros();
  void check_end() const;
  void check_keys() const;

  Phase phase(const Stage& stage) const;
  ArbitrationKind policy(const Stage& stage) const;
  void choose_forms(const Stage& stage);
  SchemePhase local_kernel(const Stage& stage, std::shared_ptr<const KernelPlan> steps,
                           const char* name) const;
  // Of the array on which the collective works.
  bool is_of(CollectiveOn on) const { return forms_->on == on; }
  void need(bool holds, const Stage& stage, std::string_view why) const;

  const Config& config_;
  SchemeParts& parts_;
  const program::SchemeText& text_;
  const Collectives* forms_;                  // of the last stage that had a choice
  std::shared_ptr<const KernelPlan> gather_;  // after the exchange so far
  std::vector<const Stage*> stages_;          // of the phases
  bool computed_ = false, exchanged_ = false, gathered_ = false, followed_ = false;
  Scheme scheme_;
};

}  // namespace t3sim
