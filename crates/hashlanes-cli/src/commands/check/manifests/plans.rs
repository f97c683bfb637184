//! Plans for the hash functions that the lines of manifests name.

use std::collections::HashMap;

use hashlanes_files::{Engine, Function, Plan};

use crate::terminal::message::say;

/// The most sets of several functions in a run. Manifests of existing tools need fewer; this bounds
/// what a crafted one can cost.
const SETS: usize = 64;

/// One plan for each function by itself, and empty ones to be set later.
pub(in crate::commands) fn plans(engines: &[Engine]) -> Vec<Plan> {
    let single = engines.iter().map(|engine| vec![*engine].into());
    single.chain((0..SETS).map(|_| Plan::later())).collect()
}

/// Finds the plan of a set of functions.
pub(in crate::commands) struct Chooser<'p> {
    plans: &'p [Plan],
    engines: HashMap<Function, Engine>,
    /// The plans that are set, by their functions.
    known: HashMap<Vec<Function>, usize>,
    /// Warnings for functions that lack the requested kernel, printed when a line first uses one.
    remarks: HashMap<Function, String>,
}

impl<'p> Chooser<'p> {
    /// `plans` belong to `engines`, in this order. Lines may also name functions of `beside`.
    pub(in crate::commands) fn new(
        plans: &'p [Plan],
        engines: &[Engine],
        beside: &[Engine],
    ) -> Self {
        let known = engines.iter().enumerate().map(|(i, engine)| (vec![engine.function()], i));
        let all = engines.iter().chain(beside).map(|engine| (engine.function(), *engine));
        let (known, engines) = (known.collect(), all.collect());
        Self { plans, known, engines, remarks: HashMap::new() }
    }

    /// Adds warnings to be printed when a line first uses the function.
    pub(in crate::commands) fn remark(
        &mut self,
        remarks: impl Iterator<Item = (Function, String)>,
    ) {
        self.remarks.extend(remarks);
    }

    /// The index of the plan with exactly these functions, in this order. `None` if there are too
    /// many different sets, or no engine for one of the functions.
    pub(in crate::commands) fn plan_of(&mut self, functions: &[Function]) -> Option<usize> {
        if !self.remarks.is_empty() {
            functions.iter().filter_map(|function| self.remarks.remove(function)).for_each(say);
        }
        if let Some(&plan) = self.known.get(functions) {
            return Some(plan);
        }
        let engines = functions.iter().map(|function| self.engines.get(function).copied());
        let plan = self.known.len();
        if !self.plans.get(plan)?.set(engines.collect::<Option<_>>()?) {
            return None;
        }
        self.known.insert(functions.to_vec(), plan);
        Some(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_its_plan_until_there_are_too_many() {
        let all: Vec<Function> = Function::every().collect();
        let engines: Vec<Engine> = all.iter().map(|&function| Engine::new(function)).collect();
        let (named, beside) = engines.split_at(10);
        let plans = plans(named);
        let mut chooser = Chooser::new(&plans, named, beside);
        let functions = |plan: usize| plans[plan].iter().map(Engine::function).collect::<Vec<_>>();
        for (i, &function) in all[..10].iter().enumerate() {
            assert_eq!(chooser.plan_of(&[function]), Some(i));
            assert_eq!(functions(i), [function]);
        }
        for _ in 0..2 {
            for i in 0..SETS {
                let set = [all[20], all[i]];
                let plan = chooser.plan_of(&set).unwrap();
                assert_eq!(plan, 10 + i);
                assert_eq!(functions(plan), set);
            }
            assert_eq!(chooser.plan_of(&[all[0], all[1]]), None);
        }
    }
}
