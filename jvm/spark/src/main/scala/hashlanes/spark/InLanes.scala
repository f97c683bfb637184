package hashlanes.spark

import scala.collection.mutable

import hashlanes.{Algorithm, Hashlanes}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ExpandExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, IntegerType, StringType}

/** Replaces projections that hash, and takes hashing out of the keys of aggregations. What it does
  * not understand stays as it is.
  */
object InLanes extends Rule[SparkPlan] {
  val ENABLED = "spark.hashlanes.enabled"

  override def apply(plan: SparkPlan): SparkPlan = {
    val enabled = SQLConf.get.getConfString(ENABLED, "true").trim.equalsIgnoreCase("true")
    if (enabled && Hashlanes.isNative) plan.transformUp(replaced) else plan
  }

  private val replaced: PartialFunction[SparkPlan, SparkPlan] = {
    case ProjectExec(list, child) if isReplaced(list, child) => HashlanesProjectExec(list, child)
    case keyed: HashAggregateExec if isReplaced(keyed.groupingExpressions, keyed.child) =>
      val below = new Below(keyed.child)
      val above = keyed.copy(groupingExpressions = keyed.groupingExpressions.map(below.named))
      above.copy(child = below.projection(above))
    // Aggregations with several different `DISTINCT` stand on it.
    case expand: ExpandExec if isReplaced(expand.projections.flatten, expand.child) =>
      val below = new Below(expand.child)
      val above = expand.copy(projections = expand.projections.map(_.map(below.taken)))
      above.copy(child = below.projection(above))
  }

  private def isReplaced(list: Seq[Expression], child: SparkPlan): Boolean =
    list.exists(Hash.all(_).nonEmpty) && !child.supportsColumnar && list.forall { expression =>
      expression.deterministic && expression.references.subsetOf(child.outputSet) &&
      !expression.exists(_.isInstanceOf[PlanExpression[_]])
    }
}

/** Hashes that are taken out of an operator, to be computed by a projection below it. */
private class Below(child: SparkPlan) {
  private val aliases = mutable.Map[Expression, Alias]()

  /** An expression with columns in place of its hashes. */
  def taken(expression: Expression): Expression = {
    val hashes = Hash.all(expression)
    expression.transformDown {
      case hash if hashes.exists(_ eq hash) =>
        aliases.getOrElseUpdate(hash.canonicalized, Alias(hash, "digest")()).toAttribute
    }
  }

  /** The same, which keeps the name and the identifier, to which others refer. */
  def named(expression: NamedExpression): NamedExpression =
    taken(expression).asInstanceOf[NamedExpression]

  /** The hashes, and what else the operator needs of its child. */
  def projection(above: SparkPlan): SparkPlan = {
    val passed = child.output.filter(above.references.contains)
    HashlanesProjectExec(passed ++ aliases.values, child)
  }
}

/** A hash in an expression: its function, and the value that is hashed. */
case class Hash(algorithm: Algorithm, value: Expression)

object Hash {
  /** The hash that an expression is. */
  def of(expression: Expression): Option[Hash] = expression match {
    case _ if expression.foldable => None
    case Md5(value) => Some(Hash(Algorithm.MD5, bytes(value)))
    case Sha1(value) => Some(Hash(Algorithm.SHA1, bytes(value)))
    case Sha2(value, Literal(bits: Int, IntegerType)) =>
      val algorithm = bits match {
        case 0 | 256 => Some(Algorithm.SHA256)
        case 224 => Some(Algorithm.SHA224)
        case 384 => Some(Algorithm.SHA384)
        case 512 => Some(Algorithm.SHA512)
        case _ => None
      }
      algorithm.map(Hash(_, bytes(value)))
    case digest: HashlanesDigest => digest.algorithm.map(Hash(_, bytes(digest.left)))
    case _ => None
  }

  /** A string's bytes are those of its UTF-8. */
  private def bytes(value: Expression): Expression = value match {
    case cast: Cast if cast.dataType == BinaryType && cast.child.dataType == StringType =>
      cast.child
    case _ => value
  }

  /** The hashes in an expression that are computed for every row. */
  def all(expression: Expression): Seq[Expression] =
    if (of(expression).isDefined) Seq(expression)
    else
      expression match {
        // These evaluate all their children. Others, such as `if`, may not.
        case _: Alias | _: Cast | _: Concat | _: Upper | _: Lower | _: Unhex | _: Substring |
            _: EqualTo | _: Not | _: IsNull | _: IsNotNull | _: CreateNamedStruct =>
          expression.children.flatMap(all)
        case _ => Nil
      }
}
